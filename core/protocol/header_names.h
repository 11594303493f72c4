// SPDX-License-Identifier: Apache-2.0
// Header names of the download protocol (protocol.md §2, §3).
#pragma once

#include <string_view>

namespace arkvory::header {

inline constexpr std::string_view kDownloadId = "Arkvory-Download-Id";
inline constexpr std::string_view kDownloadClass = "Arkvory-Download-Class";
inline constexpr std::string_view kQueueTicket = "Arkvory-Queue-Ticket";
inline constexpr std::string_view kQueuePosition = "Arkvory-Queue-Position";
inline constexpr std::string_view kStartsAt = "Arkvory-Starts-At";
// Every header of ours begins so; none leaves for another origin.
inline constexpr std::string_view kPrefix = "Arkvory-";

}  // namespace arkvory::header
