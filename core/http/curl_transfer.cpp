// SPDX-License-Identifier: Apache-2.0
#include "core/http/curl_transfer.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "core/http/curl_end.h"
#include "core/http/wire_trace.h"

namespace arkvory {

namespace {

// A third less CPU per byte than with 100 KiB (measured); larger gains nothing.
constexpr long receive_buffer_size = 512L * 1024L;

constexpr long smallest_buffer_size = 1024;
constexpr std::uint64_t largest_rate = std::numeric_limits<curl_off_t>::max();

// How many buffers full libcurl reads in a row (7.88), before it looks at the rate and waits until that is kept.
constexpr std::uint64_t reads_in_a_row = 100;

// A second's worth in a row, so that what comes slowly does not come in bursts with a stall between them.
long buffer_size_for(std::uint64_t rate_limit) {
  const auto size = rate_limit / reads_in_a_row;
  if (rate_limit == 0 || size >= static_cast<std::uint64_t>(receive_buffer_size)) return receive_buffer_size;
  return std::max(static_cast<long>(size), smallest_buffer_size);
}

// Nothing that libcurl could not take back out of the line it is put in.
bool may_stand_in_a_field(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string end_name(const char* address, long port) {
  return std::string(address == nullptr ? "" : address) + " " + std::to_string(port);
}

}  // namespace

CurlTransfer::CurlTransfer(CurlEasy handle, const Request& request, CurlShared& shared, ResponseSink& sink)
    : handle_(std::move(handle)), sink_(sink), shared_(shared), host_(request.url.host()) {
  if (!handle_) {
    own_verdict_ = TransferEnd{EndKind::internal, "libcurl gives no handle", 0};
    return;
  }
  set(CURLOPT_ERRORBUFFER, words_.data());
  set_request(request);
  set_fields(request.headers);
  set_connection(request);
  set_trust(request);
}

// The first option that libcurl refuses ends the request: a request sent without it would not be the one asked for.
template <typename Value>
void CurlTransfer::set(CURLoption option, Value value) {
  const auto code = curl_easy_setopt(handle_.get(), option, value);
  if (code == CURLE_OK || own_verdict_) return;
  own_verdict_ = TransferEnd{EndKind::internal, curl_easy_strerror(code), 0};
}

void CurlTransfer::set_request(const Request& request) {
  set(CURLOPT_URL, request.url.text().c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // What is asked for is said by the request's own Accept-Encoding, whatever libcurl could decode.
  set(CURLOPT_HTTP_CONTENT_DECODING, request.decoded ? 1L : 0L);
  if (request.decoded) set(CURLOPT_ACCEPT_ENCODING, "");
  set(CURLOPT_USERAGENT, shared_.options.user_agent.c_str());
  if (request.method == Method::head) set(CURLOPT_NOBODY, 1L);
  if (request.method == Method::remove) set(CURLOPT_CUSTOMREQUEST, "DELETE");
  set(CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &CurlTransfer::on_write);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_PREREQFUNCTION, &CurlTransfer::on_connected);
  set(CURLOPT_PREREQDATA, this);
  if (!shared_.options.trace) return;
  set(CURLOPT_DEBUGFUNCTION, &CurlTransfer::on_debug);
  set(CURLOPT_DEBUGDATA, this);
  set(CURLOPT_VERBOSE, 1L);
}

void CurlTransfer::set_fields(const Headers& headers) {
  for (const auto& [name, value] : headers.fields()) {
    if (!may_stand_in_a_field(name) || !may_stand_in_a_field(value)) {
      own_verdict_ = TransferEnd{EndKind::internal, "a header field with a line end in it is not sent", 0};
      return;
    }
    const auto text = trimmed(value);
    // `Name:` alone would mean "leave it out" to libcurl; `Name;` means "send it empty".
    append_field(text.empty() ? name + ";" : name + ": " + std::string(text));
  }
  set(CURLOPT_HTTPHEADER, fields_.get());
}

void CurlTransfer::append_field(const std::string& line) {
  auto* list = curl_slist_append(fields_.get(), line.c_str());
  if (list == nullptr) {
    own_verdict_ = TransferEnd{EndKind::internal, "out of memory", 0};
    return;
  }
  static_cast<void>(fields_.release());
  fields_.reset(list);
}

void CurlTransfer::set_connection(const Request& request) {
  const auto& options = shared_.options;
  const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(request.connect_timeout);
  set(CURLOPT_CONNECTTIMEOUT_MS, std::max(static_cast<long>(timeout.count()), 1L));
  set(CURLOPT_NOSIGNAL, 1L);
  // Ending must not wait for a name server that is silent.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_BUFFERSIZE, buffer_size_for(request.rate_limit));
  // Of a handle that is used again the limit of its last request must not stay.
  limit_rate(request.rate_limit);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  // The scheme of a proxy's own password is for the proxy to say (D9).
  set(CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_ANY));
  if (!options.proxy.empty()) set(CURLOPT_PROXY, options.proxy.c_str());
  if (options.use_netrc) set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
}

// 0 is none. libcurl looks at it with each read.
void CurlTransfer::limit_rate(std::uint64_t rate_limit) {
  set(CURLOPT_MAX_RECV_SPEED_LARGE, static_cast<curl_off_t>(std::min(rate_limit, largest_rate)));
}

void CurlTransfer::set_trust(const Request& request) {
  const auto& options = shared_.options;
  // It tells who asks: nothing for those whom a redirect names.
  if (request.to_first_origin) {
    if (!options.client_certificate.empty()) set(CURLOPT_SSLCERT, options.client_certificate.c_str());
    if (!options.client_key.empty()) set(CURLOPT_SSLKEY, options.client_key.c_str());
  }
  if (!options.verify_peer) {
    for (const auto option :
         {CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST, CURLOPT_PROXY_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYHOST})
      set(option, 0L);
    return;
  }
  // Only libcurl's tool looks at these variables, the library does not. Whoever names a place means no other.
  const bool given = !options.ca_file.empty();
  const auto file = given ? options.ca_file.string() : from_environment("SSL_CERT_FILE");
  const auto folder = given ? std::string() : from_environment("SSL_CERT_DIR");
  if (file.empty() && folder.empty()) return;
  set(CURLOPT_CAINFO, text_or_null(file));
  set(CURLOPT_CAPATH, text_or_null(folder));
  set(CURLOPT_PROXY_CAINFO, text_or_null(file));
  set(CURLOPT_PROXY_CAPATH, text_or_null(folder));
}

// Answers to CONNECT come one after the other: first the question for a password, then what that brought.
void CurlTransfer::take_proxy_header(std::string_view line) {
  if (proxy_head_.is_complete() && line.starts_with("HTTP/")) proxy_head_ = HeadReader();
  // What makes no sense is not needed: libcurl itself judges whether there is a tunnel.
  static_cast<void>(proxy_head_.line(line));
}

std::size_t CurlTransfer::take_header(std::string_view line) {
  if (!is_connected_) {
    take_proxy_header(line);
    return line.size();
  }
  answer_began_ = true;
  const auto verdict = head_.line(line);
  if (verdict == HeadReader::Verdict::malformed) {
    own_verdict_ = TransferEnd{EndKind::malformed, head_.reason(), 0};
    return 0;
  }
  if (verdict == HeadReader::Verdict::more) return line.size();
  if (head_.has_doubtful_framing()) set(CURLOPT_FORBID_REUSE, 1L);
  ++shared_.call_backs;
  if (sink_.on_head(head_.head()) == Flow::go_on) return line.size();
  own_verdict_ = TransferEnd{EndKind::stopped, {}, 0};
  return 0;
}

std::size_t CurlTransfer::take_body(std::span<const std::byte> bytes) {
  if (!head_.is_complete()) {
    own_verdict_ = TransferEnd{EndKind::malformed, "a body without a head", 0};
    return 0;
  }
  ++shared_.call_backs;
  if (sink_.on_body(bytes) == Flow::go_on) return bytes.size();
  own_verdict_ = TransferEnd{EndKind::stopped, {}, 0};
  return 0;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (transfer.own_verdict_ || size * count == 0) return 0;
  return transfer.take_header({data, size * count});
}

std::size_t CurlTransfer::on_write(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (transfer.own_verdict_ || size * count == 0) return 0;
  return transfer.take_body(std::as_bytes(std::span<const char>(data, size * count)));
}

// libcurl takes a kept-alive connection for good as long as it is open, and would read what lies there as the answer to
// the request it is about to send.
bool CurlTransfer::is_on_noisy_connection(const std::string& own_end) const {
  const auto quiet = shared_.quiet_sockets.extract(own_end);
  long connects = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_NUM_CONNECTS, &connects);
  if (connects > 0 || quiet.empty()) return false;
  pollfd watched{quiet.mapped(), POLLIN, 0};
  return poll(&watched, 1, 0) > 0;
}

int CurlTransfer::on_connected(void* self, char* /*peer*/, char* address, int /*peer_port*/, int port) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  transfer.is_connected_ = true;
  transfer.found_noise_ = transfer.is_on_noisy_connection(end_name(address, port));
  return transfer.found_noise_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

// Only now does libcurl tell the socket; before the next request it does not.
void CurlTransfer::remember_connection() {
  curl_socket_t descriptor = CURL_SOCKET_BAD;
  long version = CURL_HTTP_VERSION_NONE;
  char* address = nullptr;
  long port = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_ACTIVESOCKET, &descriptor);
  curl_easy_getinfo(handle_.get(), CURLINFO_HTTP_VERSION, &version);
  curl_easy_getinfo(handle_.get(), CURLINFO_LOCAL_IP, &address);
  curl_easy_getinfo(handle_.get(), CURLINFO_LOCAL_PORT, &port);
  const bool is_alone = version == CURL_HTTP_VERSION_1_0 || version == CURL_HTTP_VERSION_1_1;
  if (is_alone && descriptor != CURL_SOCKET_BAD) shared_.quiet_sockets[end_name(address, port)] = descriptor;
}

bool CurlTransfer::is_to_go_again(CURLcode code) const {
  if (found_noise_) return true;
  const bool is_no_answer = code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY;
  long connects = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_NUM_CONNECTS, &connects);
  return is_no_answer && is_connected_ && connects == 0 && !answer_began_ && !own_verdict_;
}

void CurlTransfer::go_again() {
  found_noise_ = false;
  is_connected_ = false;
  set(CURLOPT_FRESH_CONNECT, 1L);
}

int CurlTransfer::on_debug(CURL* /*handle*/, curl_infotype type, char* data, std::size_t size, void* self) {
  const auto show = [&](TraceKind kind) {
    for (const auto& line : shown_lines(kind, {data, size}))
      static_cast<CurlTransfer*>(self)->shared_.options.trace(line);
  };
  if (type == CURLINFO_TEXT) show(TraceKind::note);
  if (type == CURLINFO_HEADER_OUT) show(TraceKind::sent);
  if (type == CURLINFO_HEADER_IN) show(TraceKind::received);
  return 0;
}

TransferEnd CurlTransfer::end(CURLcode code) {
  if (own_verdict_) return *own_verdict_;
  if (code == CURLE_OK) remember_connection();
  CurlVerdict verdict{};
  verdict.code = code;
  if (code != CURLE_OK) verdict.words = words_[0] != '\0' ? words_.data() : curl_easy_strerror(code);
  curl_easy_getinfo(handle_.get(), CURLINFO_OS_ERRNO, &verdict.system_error);
  curl_easy_getinfo(handle_.get(), CURLINFO_HTTP_CONNECTCODE, &verdict.connect_status);
  verdict.head_complete = head_.is_complete();
  verdict.answer_began = answer_began_;
  verdict.host = host_;
  auto end = end_of(verdict);
  if (end.kind == EndKind::proxy_refused && proxy_head_.is_complete()) end.proxy_headers = proxy_head_.head().headers;
  return end;
}

CurlEasy CurlTransfer::release_handle() {
  if (!handle_) return {};
  curl_easy_reset(handle_.get());
  // libcurl leaves its receive buffer with a handle whose HTTP/2 connection was still in use by others, and then takes
  // no size for the next one.
  const bool is_as_new = curl_easy_setopt(handle_.get(), CURLOPT_BUFFERSIZE, receive_buffer_size) == CURLE_OK;
  if (!is_as_new) handle_.reset();
  return std::move(handle_);
}

}  // namespace arkvory
