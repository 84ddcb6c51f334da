#include "local_problem_file.h"

#include <hdf5.h>
#include <map>
#include <string>
#include "stiction/problem/friction_problem.h"
inline std::vector<int> rdi(hid_t f, const char* n) {
  hid_t d = H5Dopen2(f, n, 0);
  hid_t s = H5Dget_space(d);
  std::vector<int> v(H5Sget_simple_extent_npoints(s));
  H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, 0, v.data());
  H5Dclose(d);
  return v;
}
inline std::vector<double> rdd(hid_t f, const char* n) {
  hid_t d = H5Dopen2(f, n, 0);
  hid_t s = H5Dget_space(d);
  std::vector<double> v(H5Sget_simple_extent_npoints(s));
  H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, 0, v.data());
  H5Dclose(d);
  return v;
}
inline stiction::FrictionProblem read_local(const std::string& path) {
  hid_t f = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  auto p = rdi(f, "/fclib_local/W/p"), i = rdi(f, "/fclib_local/W/i");
  auto x = rdd(f, "/fclib_local/W/x");
  stiction::FrictionProblem P;
  P.q = rdd(f, "/fclib_local/vectors/q");
  auto mu = rdd(f, "/fclib_local/vectors/mu");
  H5Fclose(f);
  int nc = mu.size();
  P.blocks.resize(nc);
  P.row_start.push_back(0);
  for (int c = 0; c < nc; c++) {
    P.blocks[c].first_row = 3 * c;
    P.blocks[c].axes = {mu[c], mu[c], 0};
    std::map<int, std::array<double, 9>> m;
    m[c] = {};
    for (int a = 0; a < 3; a++)
      for (int k = p[3 * c + a]; k < p[3 * c + a + 1]; k++) m[i[k] / 3][3 * a + i[k] % 3] += x[k];
    for (auto& [col, b] : m) {
      P.column.push_back(col);
      P.value_start.push_back(P.value.size());
      P.value.insert(P.value.end(), b.begin(), b.end());
    }
    P.row_start.push_back(P.column.size());
  }
  return P;
}
namespace stiction::bench {
FrictionProblem read_local_problem(const std::string& path) {
  return read_local(path);
}
}  // namespace stiction::bench
