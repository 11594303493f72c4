// SPDX-License-Identifier: Apache-2.0
// The promises that every case has to keep, and whether a run kept them.
#pragma once

#include "tests/hostile/case.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

// Of ours: right where all is as the case says; else the first thing that is not. A Keep is tried by a further run
// against a correct server. Of another client: what it did, by the same promises.
Verdict judge(Stage& stage, const Run& run);

}  // namespace arkvory::hostile
