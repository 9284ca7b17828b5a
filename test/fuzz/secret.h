#pragma once

#include <string>

#include "fuzz/fuzz_input.h"

namespace nextid {

// A password that no message holds by chance, plain and as a URL may have it.
constexpr const char* kSecret = "Qx7z+Kw";
constexpr const char* kSecretEncoded = "Qx7z%2BKw";
constexpr const char* kSecretEncodedSmall = "Qx7z%2bKw";

inline bool holds_secret(const std::string& text) {
  for (const char* secret : {kSecret, kSecretEncoded, kSecretEncodedSmall}) {
    if (text.find(secret) != std::string::npos) return true;
  }
  return false;
}

inline void check_no_secret(const std::string& text) {
  require(!holds_secret(text), "no password is shown, but: " + text);
}

}  // namespace nextid
