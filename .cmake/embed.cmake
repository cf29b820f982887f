# cmake -DROOT=<repository> -DFOLDER=<layer> -DFILES=<path,path…> -DOUTPUT=<file.cpp> -P embed.cmake
# Writes the C++ function embeddedFile(path), which gives the text of each file: programs carry what they print. It is
# declared in <layer>/embedded_files.h, in fuser::fuzz for a layer of the harness, else in fuser.

string(REPLACE "," ";" files "${FILES}")
set(namespace fuser)
if(FOLDER MATCHES "^fuzz/")
  set(namespace fuser::fuzz)
endif()
set(body "")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" text)
  # Pieces below the length of a string literal that every compiler must take.
  set(literal "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 16000 piece)
    string(APPEND literal "\n      R\"fuser(${piece})fuser\"")
    math(EXPR at "${at} + 16000")
  endwhile()
  string(APPEND body "  if (path == \"${file}\") {\n    return${literal};\n  }\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Written by .cmake/embed.cmake.
#include \"${FOLDER}/embedded_files.h\"

#include \"fuser/support/check.h\"

namespace ${namespace} {

std::string_view embeddedFile(std::string_view path) {
${body}  FUSER_CHECK(false, path, \" is not embedded\");
}

}  // namespace ${namespace}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
