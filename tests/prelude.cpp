// SPDX-License-Identifier: Apache-2.0
#include "tests/prelude.h"  // a target with a precompiled header needs a source
