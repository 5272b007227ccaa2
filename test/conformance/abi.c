// SPDX-License-Identifier: MIT
/* The binary interface as a C program sees it. */
#include "abi.h"
#include "abi_macros.h"

int main(void)
{
    check_macros();
    return 0;
}
