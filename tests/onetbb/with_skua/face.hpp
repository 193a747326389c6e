// SPDX-License-Identifier: MIT
// The names of forms.cpp: Skua's.
#pragma once

#include <skua/conventional.hpp>

namespace face = skua;
