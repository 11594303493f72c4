// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/folder_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/rfc3339.h"

namespace arkvory::server {
namespace {

std::string folder_url(const RelativePath& path) {
  return path.is_root() ? "/files/" : "/files/" + path.to_url() + '/';
}

std::string entry_url(const std::string& folder, const FolderEntry& entry) {
  return folder + percent_encoded(entry.name) + (entry.kind == EntryKind::folder ? "/" : "");
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

std::size_t shown_count(const Folder& folder) { return std::min(folder.entries.size(), kMostEntries); }

std::string html_page(const Folder& folder, const RelativePath& path) {
  const auto url = folder_url(path);
  const auto title = escaped("/files/" + path.text());
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
                     "</title></head>\n<body><h1>" + title + "</h1>\n<ul>\n";
  if (!path.is_root())
    page += "<li><a href=\"" + url.substr(0, url.rfind('/', url.size() - 2) + 1) + "\">../</a></li>\n";
  for (std::size_t i = 0; i < shown_count(folder); ++i) {
    const auto& entry = folder.entries[i];
    const bool is_folder = entry.kind == EntryKind::folder;
    page += "<li><a href=\"" + entry_url(url, entry) + "\">" + escaped(entry.name) + (is_folder ? "/" : "") + "</a>";
    if (!is_folder) page += " " + std::to_string(entry.identity.size);
    page += "</li>\n";
  }
  page += "</ul>\n";
  if (shown_count(folder) < folder.entries.size()) page += "<p>Not all entries are shown.</p>\n";
  return page + "</body></html>\n";
}

std::string json_page(const Folder& folder, const RelativePath& path) {
  using Json = nlohmann::ordered_json;
  const auto url = folder_url(path);
  Json page{{"path", url}, {"entries", Json::array()}, {"complete", shown_count(folder) == folder.entries.size()}};
  for (std::size_t i = 0; i < shown_count(folder); ++i) {
    const auto& entry = folder.entries[i];
    Json item{{"name", entry.name}, {"type", entry.kind == EntryKind::folder ? "folder" : "file"}};
    if (entry.kind == EntryKind::file) {
      item["size"] = entry.identity.size;
      item["modified"] = format_rfc3339(WallTime(Duration(std::max<std::int64_t>(entry.identity.modified_ns, 0))));
    }
    item["href"] = entry_url(url, entry);
    page["entries"].push_back(std::move(item));
  }
  return page.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

// The weight of a parameter list such as `;q=0.5`, in thousandths.
int weight_of(std::string_view parameters) {
  const auto at = parameters.find("q=");
  if (at == std::string_view::npos) return 1000;
  int weight = 0;
  int unit = 1000;
  for (const char c : parameters.substr(at + 2)) {
    if (c == '.') continue;
    if (c < '0' || c > '9' || unit == 0) break;
    weight += (c - '0') * unit;
    unit /= 10;
  }
  return weight;
}

// The weight that Accept gives to type/subtype: the most specific member that covers it counts.
int weight_for(const Headers& request, std::string_view type, std::string_view subtype) {
  int best_match = 0;
  int weight = 0;
  const auto exact = std::string(type) + '/' + std::string(subtype);
  const auto group = std::string(type) + "/*";
  for (auto value : request.all("Accept")) {
    while (!value.empty()) {
      const auto comma = value.find(',');
      const auto member = value.substr(0, comma);
      value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
      const auto semicolon = std::min(member.find(';'), member.size());
      const auto name = trimmed(member.substr(0, semicolon));
      int match = name == "*/*" ? 1 : 0;
      if (equal_ignoring_case(name, group)) match = 2;
      if (equal_ignoring_case(name, exact)) match = 3;
      if (match <= best_match) continue;
      best_match = match;
      weight = weight_of(member.substr(semicolon));
    }
  }
  return weight;
}

}  // namespace

bool prefers_json(const Headers& request) {
  return weight_for(request, "application", "json") > weight_for(request, "text", "html");
}

Answer folder_page(const Folder& folder, const RelativePath& path, const Headers& request) {
  const bool is_json = prefers_json(request);
  Answer answer;
  answer.status = 200;
  answer.headers.add("Content-Type", is_json ? "application/json" : "text/html; charset=utf-8");
  answer.headers.add("Vary", "Accept");
  answer.headers.add("Cache-Control", "no-cache");
  answer.headers.add("X-Content-Type-Options", "nosniff");
  answer.headers.add("Content-Security-Policy", "default-src 'none'");
  answer.text = is_json ? json_page(folder, path) : html_page(folder, path);
  return answer;
}

}  // namespace arkvory::server
