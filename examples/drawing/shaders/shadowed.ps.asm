// A surface in the light of one lamp: what the lamp does not see lies in shadow. t0 is the depth that the lamp saw, cb1 its matrix.
//
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float       
// WORLD                    0   xyz         1     NONE   float   xyz 
// NORMAL                   0   xyz         2     NONE   float   xyz 
// TEXCOORD                 0   xy          3     NONE   float       
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
dcl_constantbuffer CB1[4], immediateIndexed
dcl_sampler s0, mode_comparison
dcl_resource_texture2d (float,float,float,float) t0
dcl_input_ps linear v1.xyz
dcl_input_ps linear v2.xyz
dcl_output o0.xyzw
dcl_temps 3
mul r0.xyz, v1.yyyy, cb1[1].xyzx
mad r0.xyz, v1.xxxx, cb1[0].xyzx, r0.xyzx
mad r0.xyz, v1.zzzz, cb1[2].xyzx, r0.xyzx
add r0.xyz, r0.xyzx, cb1[3].xyzx
mad r0.xy, r0.xyxx, l(0.500000, -0.500000, 0.000000, 0.000000), l(0.500000, 0.500000, 0.000000, 0.000000)
sample_c_lz_indexable(texture2d)(float,float,float,float) r0.w, r0.xyxx, t0.xxxx, s0, r0.z
mov r1.x, -cb1[0].z
mov r1.y, -cb1[1].z
mov r1.z, -cb1[2].z
dp3 r1.w, r1.xyzx, r1.xyzx
rsq r1.w, r1.w
mul r1.xyz, r1.wwww, r1.xyzx
dp3 r1.w, v2.xyzx, v2.xyzx
rsq r1.w, r1.w
mul r2.xyz, r1.wwww, v2.xyzx
dp3_sat r1.x, r2.xyzx, r1.xyzx
mul r1.x, r1.x, r0.w
mad o0.xyz, r1.xxxx, l(0.900000, 0.820000, 0.640000, 0.000000), l(0.080000, 0.100000, 0.160000, 0.000000)
mov o0.w, l(1.000000)
ret 
