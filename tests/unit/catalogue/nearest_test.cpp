#include "judge/catalogue/nearest.h"

#include "catch.h"

using judge::catalogue::did_you_mean;
using judge::catalogue::edit_distance;
using judge::catalogue::nearest;

TEST_CASE("edit distance counts the slips of a typist", "[nearest]") {
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("shape", "shpae") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("only a near name is proposed", "[nearest]") {
  CHECK(nearest("shap", {"shape", "name"}) == "shape");
  CHECK(nearest("flil", {"fill", "file"}) == "fill");
  CHECK_FALSE(nearest("blocks", {"shape", "name"}));
  CHECK_FALSE(nearest("m", {"n", "R"}));
  CHECK(nearest("N", {"n", "R"}) == "n");
  CHECK_FALSE(nearest(std::string(10000, 'a'), {std::string(9999, 'a')}));
  CHECK(did_you_mean("shap", {"shape"}) == "; did you mean \"shape\"?");
  CHECK(did_you_mean("zzz", {"shape"}).empty());
}
