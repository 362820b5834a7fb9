#include <tacit/client_c.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// The functions of tacit/client_c.h as a WebAssembly module exports them. Functions of the caller are imports: the
// context of a sink or of a progress is a number that the host chose.

#define TACIT_EXPORT(name) extern "C" __attribute__((export_name(#name)))
#define TACIT_IMPORT(name) extern "C" __attribute__((import_module("tacit"), import_name(#name)))

TACIT_IMPORT(begin) int host_begin(void* sink, std::uint64_t bytes, const std::uint8_t* root);
TACIT_IMPORT(piece) int host_piece(void* sink, const std::uint8_t* bytes, std::size_t size);
TACIT_IMPORT(place)
int host_place(void* sink, std::uint64_t offset, const std::uint8_t* bytes, std::size_t size);
TACIT_IMPORT(end) int host_end(void* sink, std::uint64_t bytes, const std::uint8_t* root);
TACIT_IMPORT(report) int host_report(void* context, const char* stage, std::uint64_t done, std::uint64_t total);

namespace {
TacitSink sink_of(void* number) { return {number, host_begin, host_piece}; }
const TacitProgress kProgress{nullptr, host_report};
}  // namespace

TACIT_EXPORT(tacit_allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }
TACIT_EXPORT(tacit_free) void release(void* memory) { std::free(memory); }
/// Zeroises memory and frees it.
TACIT_EXPORT(tacit_wipe) void wipe(volatile std::uint8_t* memory, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = 0;
  std::free(const_cast<std::uint8_t*>(memory));
}

TACIT_EXPORT(tacit_sentence) const char* sentence() { return tacit_client_sentence(); }
TACIT_EXPORT(tacit_version) const char* version() { return tacit_client_version(); }

TACIT_EXPORT(tacit_model_open)
int model_open(const std::uint8_t* bytes, std::size_t size, int allow_insecure, TacitClientModel** model) {
  return tacit_client_model_open({bytes, size}, allow_insecure, model);
}
TACIT_EXPORT(tacit_model_free) void model_free(TacitClientModel* model) { tacit_client_model_free(model); }
TACIT_EXPORT(tacit_model_facts) const char* model_facts(const TacitClientModel* model) {
  return tacit_client_model_facts(model);
}

TACIT_EXPORT(tacit_make_keys)
int make_keys(const TacitClientModel* model, void* evaluation, void* public_key, void* secret) {
  const TacitSink to_evaluation = sink_of(evaluation), to_public = sink_of(public_key), to_secret = sink_of(secret);
  return tacit_client_make_keys(model, &to_evaluation, public_key == nullptr ? nullptr : &to_public, &to_secret,
                                &kProgress);
}

TACIT_EXPORT(tacit_place_keys)
int place_keys(const TacitClientModel* model, void* evaluation, void* public_key, void* secret) {
  const TacitPlaces to_evaluation{evaluation, host_place, host_end};
  const TacitSink to_public = sink_of(public_key), to_secret = sink_of(secret);
  return tacit_client_place_keys(model, &to_evaluation, public_key == nullptr ? nullptr : &to_public, &to_secret,
                                 &kProgress);
}

TACIT_EXPORT(tacit_encrypt)
int encrypt(const TacitClientModel* model, const std::uint8_t* key, std::size_t key_bytes, int key_is_public,
            const TacitArray* tensors, std::size_t per_input, std::size_t inputs, void* question, void* kept) {
  const TacitSink to_question = sink_of(question), to_kept = sink_of(kept);
  return tacit_client_encrypt(model, {key, key_bytes}, key_is_public, tensors, per_input, inputs, &to_question,
                              &to_kept, &kProgress);
}

TACIT_EXPORT(tacit_decrypt)
int decrypt(const TacitClientModel* model, const TacitBytes* key, const TacitBytes* results, const TacitBytes* question,
            const TacitBytes* kept, TacitAnswers** answers) {
  return tacit_client_decrypt(model, *key, *results, *question, *kept, &kProgress, answers);
}
TACIT_EXPORT(tacit_check_receipt)
int check_receipt(const TacitClientModel* model, const TacitBytes* receipt, const std::uint8_t* keys_root,
                  const TacitBytes* question, const TacitBytes* results, std::uint8_t* signer) {
  return tacit_client_check_receipt(model, *receipt, keys_root, *question, *results, signer);
}
TACIT_EXPORT(tacit_answers_free) void answers_free(TacitAnswers* answers) { tacit_client_answers_free(answers); }
TACIT_EXPORT(tacit_answers_inputs) std::size_t answers_inputs(const TacitAnswers* answers) {
  return tacit_client_answers_inputs(answers);
}
TACIT_EXPORT(tacit_answers_outputs) std::size_t answers_outputs(const TacitAnswers* answers) {
  return tacit_client_answers_outputs(answers);
}
TACIT_EXPORT(tacit_answers_get)
int answers_get(const TacitAnswers* answers, std::size_t input, std::size_t output, TacitArray* array) {
  return tacit_client_answers_get(answers, input, output, array);
}
TACIT_EXPORT(tacit_answers_text)
const char* answers_text(const TacitAnswers* answers, std::size_t input, std::size_t output, std::size_t element) {
  return tacit_client_answers_text(answers, input, output, element);
}
TACIT_EXPORT(tacit_answers_name) const char* answers_name(const TacitAnswers* answers, std::size_t output) {
  return tacit_client_answers_name(answers, output);
}
