// SPDX-License-Identifier: MIT
// Does nothing: this program exists for its precompiled headers, which the tests use. They are compiled for executables, so it is one.
int main() {}
