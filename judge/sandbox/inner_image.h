#pragma once
// The program of inner/, embedded in this library, so that a box needs no file beside the judge to be found at run
// time.

namespace judge::sandbox {

int inner_program();  // a descriptor to execute; open for the whole life of the judge. Throws BoxError.

}  // namespace judge::sandbox
