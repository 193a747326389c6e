// SPDX-License-Identifier: MIT
// Empty: this library exists for its precompiled headers, which Skua and the apps use.
