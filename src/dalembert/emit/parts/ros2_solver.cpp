// Inverse dynamics of one robot as a plugin of inverse_dynamics_solver (ROS 2).
//
// Joints are matched by name: the parameter <namespace>.joints lists them in the order of the
// caller's vectors; without it the order is that of the description.

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/parameter.hpp>

#include "friction.hpp"
#include "model.h"

namespace model_dynamics
{

class Solver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  Solver()
  {
    for (std::size_t k = 0; k < N; ++k) {
      order_[k] = k;
    }
  }

  void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
    const std::string & param_namespace = "", const std::string & robot_description = "") override
  {
    (void)robot_description;  // the robot is compiled in
    if (!parameters_interface) {
      return;
    }
    const std::string name = param_namespace.empty() ? "joints" : param_namespace + ".joints";
    rclcpp::Parameter joints;
    if (parameters_interface->get_parameter(name, joints)) {
      arrange(joints.as_string_array());
    }
  }

  // Take vectors in the order of these joints, each of them once.
  void arrange(const std::vector<std::string> & joints)
  {
    if (joints.size() != N) {
      throw std::invalid_argument("model_dynamics: joints: " + std::to_string(joints.size()) +
        " names, " + std::to_string(N) + " joints");
    }
    std::array<bool, N> seen{};
    for (std::size_t k = 0; k < N; ++k) {
      const auto * end = model_speed_names + N;
      const auto * found = std::find(model_speed_names, end, joints[k]);
      if (found == end) {
        throw std::invalid_argument("model_dynamics: there is no joint " + joints[k]);
      }
      const auto at = static_cast<std::size_t>(found - model_speed_names);
      if (seen[at]) {
        throw std::invalid_argument("model_dynamics: joint " + joints[k] + " is named twice");
      }
      seen[at] = true;
      order_[k] = at;
    }
  }

  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & joint_positions) const override
  {
    const Vector q = inward(joint_positions);
    std::array<double, N * N> M;
    model_mass_matrix(q.data(), nullptr, M.data());
    Eigen::MatrixXd out(N, N);
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) {
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          M[order_[i] * N + order_[j]];
      }
    }
    return out;
  }

  Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & joint_positions,
    const Eigen::VectorXd & joint_velocities) const override
  {
    const Vector q = inward(joint_positions);
    const Vector qd = inward(joint_velocities);
    Vector out;
    model_coriolis(q.data(), qd.data(), nullptr, out.data());
    return outward(out);
  }

  Eigen::VectorXd getGravityVector(const Eigen::VectorXd & joint_positions) const override
  {
    const Vector q = inward(joint_positions);
    Vector out;
    model_gravity(q.data(), nullptr, out.data());
    return outward(out);
  }

  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & joint_velocities) const override
  {
    const Vector qd = inward(joint_velocities);
    Vector out;
    for (std::size_t k = 0; k < N; ++k) {
      const double dry = qd[k] > 0.0 ? COULOMB[k][0] : (qd[k] < 0.0 ? COULOMB[k][1] : 0.0);
      out[k] = VISCOUS[k] * qd[k] + dry;
    }
    return outward(out);
  }

  // Inertia, Coriolis and gravity in one recursion; friction is asked for apart.
  Eigen::VectorXd getTorques(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
    const Eigen::VectorXd & joint_accelerations) const override
  {
    const Vector q = inward(joint_positions);
    const Vector qd = inward(joint_velocities);
    const Vector qdd = inward(joint_accelerations);
    Vector out;
    model_inverse_dynamics(q.data(), qd.data(), qdd.data(), nullptr, out.data());
    return outward(out);
  }

private:
  static constexpr std::size_t N = MODEL_NV;
  using Vector = std::array<double, N>;

  Vector inward(const Eigen::VectorXd & x) const
  {
    if (static_cast<std::size_t>(x.size()) != N) {
      throw std::invalid_argument("model_dynamics: a vector has the wrong size");
    }
    Vector out;
    for (std::size_t k = 0; k < N; ++k) {
      out[order_[k]] = x[static_cast<Eigen::Index>(k)];
    }
    return out;
  }

  Eigen::VectorXd outward(const Vector & x) const
  {
    Eigen::VectorXd out(static_cast<Eigen::Index>(N));
    for (std::size_t k = 0; k < N; ++k) {
      out[static_cast<Eigen::Index>(k)] = x[order_[k]];
    }
    return out;
  }

  std::array<std::size_t, N> order_;
};

}  // namespace model_dynamics

PLUGINLIB_EXPORT_CLASS(model_dynamics::Solver, inverse_dynamics_solver::InverseDynamicsSolver)
