// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/optional.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "server-stub/http/header_block.h"

namespace arkvory::server {
namespace {

namespace http = boost::beast::http;

ParseState state_of(const boost::system::error_code& error, bool is_done) {
  if (error == http::error::body_limit) return ParseState::body_too_large;
  if (error && error != http::error::need_more) return ParseState::malformed;
  return is_done ? ParseState::whole : ParseState::needs_body;
}

}  // namespace

// Drops what it reads unless it is to be kept; the limit is the parser's.
struct OptionalBody {
  struct value_type {
    bool is_kept = false;
    std::string text{};
  };

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(http::header<is_request, Fields>&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) { error = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      if (body_.is_kept) body_.text += boost::beast::buffers_to_string(buffers);
      return boost::asio::buffer_size(buffers);
    }
    void finish(boost::system::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

struct RequestParser::Parser {
  http::request_parser<OptionalBody> beast;
};

RequestParser::RequestParser() : parser_(std::make_unique<Parser>()) {
  parser_->beast.header_limit(static_cast<std::uint32_t>(2 * kLongestHeaderBlock));
  parser_->beast.body_limit(kLargestRequestBody);
  parser_->beast.eager(true);
}

RequestParser::~RequestParser() = default;

ParseState RequestParser::take_head(std::string_view block) {
  boost::system::error_code error;
  parser_->beast.put(boost::asio::buffer(block.data(), block.size()), error);
  const auto state = state_of(error, parser_->beast.is_done());
  if (state == ParseState::malformed || state == ParseState::body_too_large) return state;
  if (!parser_->beast.is_header_done()) return ParseState::malformed;
  const auto version = parser_->beast.get().version();
  return version == 10 || version == 11 ? state : ParseState::malformed;
}

ParseState RequestParser::take_body(std::string_view bytes, std::size_t& taken) {
  boost::system::error_code error;
  taken = parser_->beast.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  return state_of(error, parser_->beast.is_done());
}

bool RequestParser::expects_continue() const {
  return boost::beast::iequals(parser_->beast.get()[http::field::expect], "100-continue");
}

void RequestParser::keep_body() { parser_->beast.get().body().is_kept = true; }

std::string RequestParser::take_kept_body() { return std::move(parser_->beast.get().body().text); }

Request RequestParser::request() const {
  const auto& message = parser_->beast.get();
  Request request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.is_http_1_0 = message.version() == 10;
  request.keep_alive = message.keep_alive();
  for (const auto& field : message) request.headers.add(std::string(field.name_string()), std::string(field.value()));
  return request;
}

}  // namespace arkvory::server
