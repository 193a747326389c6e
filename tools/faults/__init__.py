# SPDX-License-Identifier: MIT
"""The parts of tools/fault_rules.py."""
