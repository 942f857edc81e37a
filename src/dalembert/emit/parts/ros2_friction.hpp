// Friction of the description at the joints: viscous, and dry at positive and negative speed.
#pragma once

namespace model_dynamics
{

constexpr double VISCOUS[/*[count]*/] = {/*[viscous]*/};
constexpr double COULOMB[/*[count]*/][2] = {
// [dry]
};

}  // namespace model_dynamics

// MODEL_NV is /*[count]*/
