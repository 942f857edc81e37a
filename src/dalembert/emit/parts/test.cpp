// the_model: golden vectors. Exit 0 when all of them hold.

#include "model.hpp"

#include <cstdio>

namespace {

template <std::size_t N>
int differs(const char *name, const std::array<double, N> &x, const std::array<double, N> &golden,
            double size, double tolerance)
{
    double worst = 0.0;
    bool bad = false;
    for (std::size_t i = 0; i < N; ++i) {
        const double error = std::fabs(x[i] - golden[i])/size;
        bad = bad || !(error <= tolerance);
        worst = error > worst ? error : worst;
    }
    std::printf("%s worst=%.3e tol=%.3e %s\n", name, worst, tolerance, bad ? "MISS" : "ok");
    return bad ? 1 : 0;
}

} // namespace

int main()
{
    int bad = 0;
    // [prepare]
    // [golden]
    return bad;
}
