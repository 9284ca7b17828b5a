#pragma once

#include <bson/bson.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace nextid::mongo {

class Array;

// A BSON document that frees itself. Appending methods chain: `Document().text("_id", name).number("n", 1)`.
class Document {
 public:
  Document() { bson_init(&bson_); }
  explicit Document(const bson_t* copied) { bson_copy_to(copied, &bson_); }
  ~Document() { bson_destroy(&bson_); }
  Document(Document&& other) noexcept {
    bson_steal(&bson_, &other.bson_);
    bson_init(&other.bson_);
  }
  Document& operator=(Document&& other) noexcept {
    bson_destroy(&bson_);
    bson_steal(&bson_, &other.bson_);
    bson_init(&other.bson_);
    return *this;
  }

  Document& text(const char* key, std::string_view value) {
    bson_append_utf8(&bson_, key, -1, value.data(), static_cast<int>(value.size()));
    return *this;
  }
  Document& number(const char* key, int64_t value) {
    bson_append_int64(&bson_, key, -1, value);
    return *this;
  }
  Document& small_number(const char* key, int32_t value) {
    bson_append_int32(&bson_, key, -1, value);
    return *this;
  }
  Document& flag(const char* key, bool value) {
    bson_append_bool(&bson_, key, -1, value);
    return *this;
  }
  Document& object_id(const char* key, const bson_oid_t& value) {
    bson_append_oid(&bson_, key, -1, &value);
    return *this;
  }
  Document& null(const char* key) {
    bson_append_null(&bson_, key, -1);
    return *this;
  }
  Document& document(const char* key, const Document& value) {
    bson_append_document(&bson_, key, -1, value.get());
    return *this;
  }
  Document& array(const char* key, const Array& value);
  // All fields of `other`.
  Document& fields_of(const Document& other) {
    bson_concat(&bson_, other.get());
    return *this;
  }

  const bson_t* get() const { return &bson_; }
  bson_t* get() { return &bson_; }

  // For a function that initializes the document it is given, as libmongoc does with replies.
  bson_t* overwrite() {
    bson_destroy(&bson_);
    return &bson_;
  }

 private:
  bson_t bson_;
};

// A BSON array; appending methods chain.
class Array {
 public:
  Array() = default;
  Array(std::initializer_list<const char*> texts) {
    for (const char* value : texts) text(value);
  }

  Array& text(std::string_view value) {
    elements_.text(next_key().c_str(), value);
    return *this;
  }
  Array& number(int64_t value) {
    elements_.number(next_key().c_str(), value);
    return *this;
  }
  Array& null() {
    elements_.null(next_key().c_str());
    return *this;
  }
  Array& document(const Document& value) {
    elements_.document(next_key().c_str(), value);
    return *this;
  }
  Array& array(const Array& value) {
    elements_.array(next_key().c_str(), value);
    return *this;
  }

  const bson_t* get() const { return elements_.get(); }

 private:
  std::string next_key() { return std::to_string(size_++); }

  Document elements_;
  int size_ = 0;
};

inline Document& Document::array(const char* key, const Array& value) {
  bson_append_array(&bson_, key, -1, value.get());
  return *this;
}

// A place in a document. A type of its own, because templates drop the alignment that libbson's typedef asks
// for.
struct alignas(alignof(bson_iter_t)) Field : bson_iter_t {};

// The field of that name, and of fields within fields if the name has dots.
inline std::optional<Field> find_field(const bson_t* document, const char* path) {
  bson_iter_t top;
  Field found;
  if (bson_iter_init(&top, document) && bson_iter_find_descendant(&top, path, &found)) return found;
  return std::nullopt;
}

// REQUIRES: the field holds a text
inline std::string text_of(const Field& field) {
  uint32_t length = 0;
  const char* text = bson_iter_utf8(&field, &length);
  return std::string(text, length);
}

// The text in that field, if it holds one.
inline std::optional<std::string> find_text(const bson_t* document, const char* path) {
  const auto field = find_field(document, path);
  if (!field || !BSON_ITER_HOLDS_UTF8(&*field)) return std::nullopt;
  return text_of(*field);
}

}  // namespace nextid::mongo
