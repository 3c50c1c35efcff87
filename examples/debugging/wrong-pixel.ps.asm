// ps_5_0 main
//
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float
// DIRECTION                0   xy          1     NONE   float   xy
//
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Target                0   xyzw        0   TARGET   float   xyzw
//
ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps linear v1.xy
dcl_output o0.xyzw
dcl_temps 1
dp2 r0.x, v1.xyxx, v1.xyxx
rsq r0.x, r0.x
mul r0.xy, r0.xxxx, v1.xyxx
mad o0.xy, r0.xyxx, l(0.5, 0.5, 0.0, 0.0), l(0.5, 0.5, 0.0, 0.0)
mov o0.zw, l(0.0, 0.0, 0.25, 1.0)
ret
