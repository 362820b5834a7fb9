#ifndef TACIT_CLIENT_C_H
#define TACIT_CLIENT_C_H

/* The client's half of a compiled network, for C and for languages that call C. The owner of the data makes keys,
 * encrypts inputs and decrypts results. Bytes come from the caller and go to the caller. There is no file, no thread
 * and no network. The bytes are those of the files of the `tacit` command.
 *
 * Every function returns a TacitStatus. After a failure, tacit_client_sentence() says what is wrong and what to do.
 * No exception leaves a function, and a failed function leaves nothing that is taken for whole. Objects are freed by
 * the function named like them. Freeing a null pointer does nothing. An object may be used by several threads at once.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TACIT_CLIENT_API
#define TACIT_CLIENT_API __attribute__((visibility("default")))
#endif

typedef enum TacitStatus {
  TACIT_OK = 0,
  TACIT_REFUSED = 1,      /* an argument or bytes are wrong */
  TACIT_KEY_MISMATCH = 2, /* objects of different models or clients */
  TACIT_CANCELLED = 3,    /* TacitProgress asked to stop */
  TACIT_STOPPED = 4,      /* a function of the caller failed */
  TACIT_NO_MEMORY = 5,
  TACIT_FAULT = 6 /* an error of this library */
} TacitStatus;

/* Returns the sentence about the last failure in this thread. It is valid until the next call in this thread. */
TACIT_CLIENT_API const char* tacit_client_sentence(void);
/* Returns the version, such as "0.1.0". */
TACIT_CLIENT_API const char* tacit_client_version(void);

/* Bytes of the caller, which stay as they are during a call. */
typedef struct TacitBytes {
  const uint8_t* data;
  size_t size;
} TacitBytes;

/* Receives bytes. The functions return 0, and anything else if they failed: then nothing follows, and the call returns
 * TACIT_STOPPED. They must not throw, and must not call functions of this header with the same object. */
typedef struct TacitSink {
  void* context;
  /* Called once, before the bytes, with their number and the root that fixes their content. May be null. */
  int (*begin)(void* context, uint64_t bytes, const uint8_t root[32]);
  /* Called with the bytes in order. The memory is valid during the call. */
  int (*piece)(void* context, const uint8_t* bytes, size_t size);
} TacitSink;

/* Receives the bytes of evaluation keys as they are made. The functions return as those of TacitSink do. */
typedef struct TacitPlaces {
  void* context;
  /* Called with bytes and their offset from the first byte of the keys, each byte once: the first 128 bytes come last.
   * The memory is valid during the call. */
  int (*place)(void* context, uint64_t offset, const uint8_t* bytes, size_t size);
  /* Called once, after the bytes, with their number and the root that fixes their content. Before, nothing is whole. */
  int (*end)(void* context, uint64_t bytes, const uint8_t root[32]);
} TacitPlaces;

/* Receives the progress of a call. A null pointer in place of it means that nobody wants to know. */
typedef struct TacitProgress {
  void* context;
  /* `done` of `total` steps of `stage` are done. Anything but 0 cancels the call. */
  int (*report)(void* context, const char* stage, uint64_t done, uint64_t total);
} TacitProgress;

/* --- the client's half of a model --- */

typedef struct TacitClientModel TacitClientModel;

/* Reads the client's half, client.tacit. Everything is checked before use. Insecure parameters are refused unless
 * `allow_insecure` is not 0. */
TACIT_CLIENT_API TacitStatus tacit_client_model_open(TacitBytes client, int allow_insecure, TacitClientModel** model);
TACIT_CLIENT_API void tacit_client_model_free(TacitClientModel* model);
/* Returns facts as JSON: name, scheme, security_bits, batch, id, key_bytes (of the evaluation keys in memory), inputs
 * and outputs with name and shape. The text is valid until the model is freed. */
TACIT_CLIENT_API const char* tacit_client_model_facts(const TacitClientModel* model);

/* Draws a secret key, and makes the keys that the server needs. `evaluation` gets them first. Keys on slots (CKKS) are
 * made one at a time, so that memory holds one of them. They are made twice, because TacitSink.begin gets their root
 * before their bytes. `secret` gets the key in the clear. A sink of NULL pointers for `public_key`, or a null pointer,
 * means that no public key is made. Data that was encrypted under a lost secret key is lost. */
TACIT_CLIENT_API TacitStatus tacit_client_make_keys(const TacitClientModel* model, const TacitSink* evaluation,
                                                    const TacitSink* public_key, const TacitSink* secret,
                                                    const TacitProgress* progress);

/* Does the same, and makes the evaluation keys once: their root comes last. Take it for a file, or for memory. */
TACIT_CLIENT_API TacitStatus tacit_client_place_keys(const TacitClientModel* model, const TacitPlaces* evaluation,
                                                     const TacitSink* public_key, const TacitSink* secret,
                                                     const TacitProgress* progress);

/* --- inputs --- */

/* An array of the caller, row-major: `values` has as many elements as the product of `shape`. */
typedef struct TacitArray {
  const double* values;
  const int64_t* shape;
  size_t dimensions;
} TacitArray;

/* Encrypts `inputs` inputs of the model under `key`: a secret key, or a public key if `key_is_public` is not 0. Input i
 * has its tensors at tensors[i * per_input], in the model's order. `kept` may be null. Otherwise it gets the values
 * that the model returns unchanged, in the clear, for tacit_client_decrypt: no piece for most models. */
TACIT_CLIENT_API TacitStatus tacit_client_encrypt(const TacitClientModel* model, TacitBytes key, int key_is_public,
                                                  const TacitArray* tensors, size_t per_input, size_t inputs,
                                                  const TacitSink* question, const TacitSink* kept,
                                                  const TacitProgress* progress);

/* --- results --- */

typedef struct TacitAnswers TacitAnswers;

/* Decrypts results. With `question`, the bytes of tacit_client_encrypt, it checks that the results answer each input
 * once and in order. Without (size 0) nothing is compared. `kept` are the bytes that encrypt kept, or none. */
TACIT_CLIENT_API TacitStatus tacit_client_decrypt(const TacitClientModel* model, TacitBytes key, TacitBytes results,
                                                  TacitBytes question, TacitBytes kept, const TacitProgress* progress,
                                                  TacitAnswers** answers);
TACIT_CLIENT_API void tacit_client_answers_free(TacitAnswers* answers);
/* The number of inputs, and of outputs of each. */
TACIT_CLIENT_API size_t tacit_client_answers_inputs(const TacitAnswers* answers);
TACIT_CLIENT_API size_t tacit_client_answers_outputs(const TacitAnswers* answers);
/* Gives one output of one input. The pointers are valid until the answers are freed, which wipes the values. */
TACIT_CLIENT_API TacitStatus tacit_client_answers_get(const TacitAnswers* answers, size_t input, size_t output,
                                                      TacitArray* array);
/* Returns the text of an element, for outputs that are texts such as labels. Null for numbers. */
TACIT_CLIENT_API const char* tacit_client_answers_text(const TacitAnswers* answers, size_t input, size_t output,
                                                       size_t element);
/* Returns the name of an output. */
TACIT_CLIENT_API const char* tacit_client_answers_name(const TacitAnswers* answers, size_t output);

/* --- receipts --- */

/* Checks the receipt of an evaluation, the bytes of RESULTS.receipt. It must speak of this model. It must name the root
 * of `question` as its input, and the root of `results` as its output, unless their sizes are 0. It must name
 * `keys_root`, which TacitSink.begin got for the evaluation keys, unless that is null. A signature must be that of the
 * signer that the receipt names. `signer` gets that Ed25519 key, or zeros without a signature. Compare it with the key
 * that you expect. A receipt fixes what the server stated. It does not prove that the results follow from the question.
 */
TACIT_CLIENT_API TacitStatus tacit_client_check_receipt(const TacitClientModel* model, TacitBytes receipt,
                                                        const uint8_t* keys_root, TacitBytes question,
                                                        TacitBytes results, uint8_t signer[32]);

#ifdef __cplusplus
}
#endif

#endif
