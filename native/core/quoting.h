#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nextid {

// A character of UTF-8 text and its bytes. A byte that is not part of a character has the code 0xFFFFFFFF.
struct Character {
  uint32_t code;
  std::string_view bytes;
};

// The character at the start of `text`. REQUIRES: !text.empty()
inline Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, text.substr(0, 1)};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  uint32_t code = lead & (0xffu >> (length + 1));
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length ||
      !std::all_of(text.begin() + 1, text.begin() + static_cast<ptrdiff_t>(length), is_continuation)) {
    return {UINT32_MAX, text.substr(0, 1)};
  }
  for (const char c : text.substr(1, length - 1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return {code, text.substr(0, length)};
}

// Whether a character ends a line, controls a terminal, or hides or reverses text: Unicode's Cc, Cf, Zl and
// Zp, and bytes that are not UTF-8. lib/errors.js escapes these characters in all messages. So a command in a
// message must not contain them: its name would become that of another counter.
inline bool is_hidden(uint32_t code) {
  struct Span {
    uint32_t first, last;
  };
  constexpr std::array kHidden = {
      Span{0x0, 0x1f},        Span{0x7f, 0x9f},
      Span{0xad, 0xad},       Span{0x600, 0x605},
      Span{0x61c, 0x61c},     Span{0x6dd, 0x6dd},
      Span{0x70f, 0x70f},     Span{0x890, 0x891},
      Span{0x8e2, 0x8e2},     Span{0x180e, 0x180e},
      Span{0x200b, 0x200f},   Span{0x2028, 0x202e},
      Span{0x2060, 0x206f},   Span{0xfeff, 0xfeff},
      Span{0xfff9, 0xfffb},   Span{0x110bd, 0x110bd},
      Span{0x110cd, 0x110cd}, Span{0x13430, 0x1343f},
      Span{0x1bca0, 0x1bca3}, Span{0x1d173, 0x1d17a},
      Span{0xe0001, 0xe007f}, Span{UINT32_MAX, UINT32_MAX},
  };
  return std::any_of(kHidden.begin(), kHidden.end(),
                     [code](const Span& span) { return code >= span.first && code <= span.last; });
}

inline bool has_hidden(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (is_hidden(character.code)) return true;
    text.remove_prefix(character.bytes.size());
  }
  return false;
}

// `text` as one word of a shell command, on one line. All POSIX shells understand it. If `text` has hidden
// characters, they become escapes, which only bash, zsh and ksh understand.
inline std::string shell_quoted(std::string_view text) {
  constexpr const char* kPlainInAnyShell =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+";
  if (!text.empty() && text.find_first_not_of(kPlainInAnyShell) == std::string_view::npos) {
    return std::string(text);
  }
  if (!has_hidden(text)) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
  }
  std::string quoted = "$'";
  while (!text.empty()) {
    const Character character = first_character(text);
    text.remove_prefix(character.bytes.size());
    // An exclamation mark may recall an earlier command, even in these quotes.
    if (is_hidden(character.code) || character.code == '\'' || character.code == '\\' ||
        character.code == '!') {
      constexpr const char* kDigits = "0123456789abcdef";
      for (const char c : character.bytes) {
        const auto byte = static_cast<unsigned char>(c);
        quoted += c == '\n' ? "\\n" : std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
      }
    } else {
      quoted += character.bytes;
    }
  }
  return quoted + "'";
}

}  // namespace nextid
