// [about]

#ifndef MODEL_HPP
#define MODEL_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

namespace model {

// [counts]

// [tables]

// A vector of N numbers that somebody else owns: std::array, a C array, or anything with data() and
// size(); a size that does not fit is an exception.
template <std::size_t N>
class view {
public:
    view(const std::array<double, N> &x) : data_(x.data()) {}
    view(const double (&x)[N]) : data_(x) {}
    template <class Vector, class = decltype(std::declval<const Vector &>().data())>
    view(const Vector &x) : data_(x.data())
    {
        if (static_cast<std::size_t>(x.size()) != N) {
            throw std::invalid_argument("model: a vector has the wrong size");
        }
    }
    const double *data() const { return data_; }

private:
    const double *data_;
};

namespace detail {

inline double min(double x, double y) { return x < y || x != x ? x : y; }
inline double max(double x, double y) { return x > y || x != x ? x : y; }
inline double sign(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }

#ifndef __FAST_MATH__
inline void sincos(int n, const double *x, double *s, double *c)
{
    int i;
    int far = 0;
    for (i = 0; i < n; ++i) {
        const double k = (x[i]*0.63661977236758134 + 6755399441055744.0) - 6755399441055744.0;
        const double y = (x[i] - k*1.5707963267341256 - k*6.077100506303966e-11
            - k*2.0222662487111665e-21 - k*8.4784276603689e-32);
        const double z = y*y;
        const double zz = z*z;
        const double s2 = -2.50507602534068634195e-08
            + z*1.58969099521155010221e-10;
        const double s1 = -1.98412698298579493134e-04
            + z*2.75573137070700676789e-06;
        const double s0 = -1.66666666666666324348e-01
            + z*8.33333333332248946124e-03;
        const double c2 = 2.08757232129817482790e-09
            + z*-1.13596475577881948265e-11;
        const double c1 = 2.48015872894767294178e-05
            + z*-2.75573143513906633035e-07;
        const double c0 = 4.16666666666666019037e-02
            + z*-1.38888888888741095749e-03;
        const double sy = y + (y*z)*(s0 + zz*(s1 + zz*s2));
        const double cy = 1.0 + z*(-0.5 + z*(c0 + zz*(c1 + zz*c2)));
        const double m = k - 4.0*((k*0.25 + 6755399441055744.0) - 6755399441055744.0);
        const int odd = std::fabs(std::fabs(m) - 1.0) < 0.5;
        const double a = odd ? cy : sy;
        const double b = odd ? sy : cy;
        s[i] = std::fabs(m - 0.5) > 1.0 ? -a : a;
        c[i] = std::fabs(m + 0.5) > 1.0 ? -b : b;
    }
    for (i = 0; i < n; ++i) {
        far |= !(std::fabs(x[i]) <= 1e5);
    }
    for (i = 0; far && i < n; ++i) {
        if (!(std::fabs(x[i]) <= 1e5)) {
            s[i] = std::sin(x[i]);
            c[i] = std::cos(x[i]);
        }
    }
}
#else
inline void sincos(int n, const double *x, double *s, double *c)
{
    for (int i = 0; i < n; ++i) {
        s[i] = std::sin(x[i]);
        c[i] = std::cos(x[i]);
    }
}
#endif

} // namespace detail

// [parameters]
// [functions]


// Eigen: #include <Eigen/Core> before this header; matrices are stored row by row.
#ifdef EIGEN_WORLD_VERSION
namespace eigen {

// [eigen]

} // namespace eigen
#endif

} // namespace model

#endif // MODEL_HPP
