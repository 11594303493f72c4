// SPDX-License-Identifier: Apache-2.0
// What nearly every source includes, compiled once: it takes about a third off a file's compile time. Each file still
// includes what it uses: the fuzz preset builds without it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
