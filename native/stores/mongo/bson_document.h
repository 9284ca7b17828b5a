#pragma once

#include <bson/bson.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace nextid {

// A BSON document that frees itself. Appending methods chain: `Document().text("_id", name).number("n", 1)`.
class Document {
 public:
  Document() { bson_init(&bson_); }
  ~Document() { bson_destroy(&bson_); }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Document& text(const char* key, std::string_view value) {
    bson_append_utf8(&bson_, key, -1, value.data(), static_cast<int>(value.size()));
    return *this;
  }
  Document& number(const char* key, int64_t value) {
    bson_append_int64(&bson_, key, -1, value);
    return *this;
  }
  Document& flag(const char* key, bool value) {
    bson_append_bool(&bson_, key, -1, value);
    return *this;
  }
  Document& document(const char* key, const Document& value) {
    bson_append_document(&bson_, key, -1, value.get());
    return *this;
  }
  // An array of one document.
  Document& array_of(const char* key, const Document& value) {
    bson_append_array(&bson_, key, -1, Document().document("0", value).get());
    return *this;
  }
  // An array of at most ten texts.
  Document& array_of(const char* key, std::initializer_list<const char*> values) {
    Document array;
    char position[] = "0";
    for (const char* value : values) {
      array.text(position, value);
      ++position[0];
    }
    bson_append_array(&bson_, key, -1, array.get());
    return *this;
  }

  const bson_t* get() const { return &bson_; }
  bson_t* get() { return &bson_; }

  // For a function that makes a document anew where it is told to, as libmongoc does with replies.
  bson_t* overwrite() {
    bson_destroy(&bson_);
    return &bson_;
  }

 private:
  bson_t bson_;
};

// The field of that name, and of fields within fields if the name has dots.
inline std::optional<bson_iter_t> find_field(const bson_t* document, const char* path) {
  bson_iter_t top;
  bson_iter_t found;
  if (bson_iter_init(&top, document) && bson_iter_find_descendant(&top, path, &found)) return found;
  return std::nullopt;
}

}  // namespace nextid
