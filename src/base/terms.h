// SPDX-License-Identifier: MIT
/* Words that every layer shares. */
#ifndef HF_BASE_TERMS_H
#define HF_BASE_TERMS_H

enum hf_op { HF_READ, HF_WRITE, HF_OP_COUNT };

/* How bytes move. Numbered as hipFileExtPath_t in hipfile_ext.h. */
enum hf_path_id { HF_PATH_DIRECT, HF_PATH_BOUNCE, HF_PATH_HOST, HF_PATH_COUNT };

#endif
