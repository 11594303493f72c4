// SPDX-License-Identifier: Apache-2.0
// As core/base/prelude.h, for tests.
#pragma once

#include <doctest/doctest.h>

#include "core/base/prelude.h"
