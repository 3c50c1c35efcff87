// Puts a pixel at the front of the list of its place. u0 has the first node of each list, u1 the nodes: color, depth, next node.
// The counter of u1 gives each pixel a node of its own; the exchange puts it in front of the list in one step.
//
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float   xyz 
// COLOR                    0   xyzw        1     NONE   float   xyzw
//
//
ps_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_typed_texture2d (uint,uint,uint,uint) u0
dcl_uav_structured_opc u1, 16
dcl_input_ps_siv linear noperspective v0.xyz, position
dcl_input_ps linear v1.xyzw
dcl_temps 3
imm_atomic_alloc r0.x, u1
bufinfo_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) r0.y, u1.yxyy
ult r0.y, r0.x, r0.y
if_nz r0.y
  ftou r0.yz, v0.xxyx
  mad r1.xyzw, v1.xyzw, l(255.000000, 255.000000, 255.000000, 255.000000), l(0.500000, 0.500000, 0.500000, 0.500000)
  ftou r1.xyzw, r1.xyzw
  bfi r2.x, l(8), l(8), r1.y, r1.x
  bfi r2.x, l(8), l(16), r1.z, r2.x
  bfi r2.x, l(8), l(24), r1.w, r2.x
  mov r2.y, v0.z
  imm_atomic_exch r2.z, u0, r0.yzzz, r0.x
  store_structured u1.xyz, r0.x, l(0), r2.xyzx
endif 
ret 
