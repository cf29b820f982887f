#pragma once
// Fusions and cases around statements that are printed already. Private to this folder.

#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/text/value_names.h"

namespace fuser {

// `statements`: those between the parameters and the return, without indentation.
std::string printFusion(const Fusion& fusion, const ValueNames& names, const std::vector<std::string>& statements);
// `fusionText`: that of the case's fusion.
std::string printCase(const Case& testCase, const std::string& fusionText);

}  // namespace fuser
