// SPDX-License-Identifier: Apache-2.0
#include "core/base/prelude.h"  // a target with a precompiled header needs a source
