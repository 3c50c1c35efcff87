// Blends the list of each pixel over a checkered ground, the farthest first. t0 has the first node of each list, t1 the nodes.
// Up to 8 nodes are sorted while they are read: x0 holds color and depth, the farthest at 0.
//
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float   xy  
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
dcl_resource_texture2d (uint,uint,uint,uint) t0
dcl_resource_structured t1, 16
dcl_input_ps_siv linear noperspective v0.xy, position
dcl_output o0.xyzw
dcl_temps 5
dcl_indexableTemp x0[8], 2
ftou r0.xy, v0.xyxx
mov r0.zw, l(0,0,0,0)
ld_indexable(texture2d)(uint,uint,uint,uint) r1.x, r0.xyzw, t0.xyzw
mov r1.y, l(0)
loop 
  ieq r1.z, r1.x, l(-1)
  breakc_nz r1.z
  uge r1.z, r1.y, l(8)
  breakc_nz r1.z
  ld_structured_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) r2.xyz, r1.x, l(0), t1.xyzx
  mov r1.z, r1.y
  loop 
    breakc_z r1.z
    iadd r1.w, r1.z, l(-1)
    mov r3.xy, x0[r1.w + 0].xyxx
    ge r3.z, r3.y, r2.y
    breakc_nz r3.z
    mov x0[r1.z + 0].xy, r3.xyxx
    mov r1.z, r1.w
  endloop 
  mov x0[r1.z + 0].xy, r2.xyxx
  iadd r1.y, r1.y, l(1)
  mov r1.x, r2.z
endloop 
iadd r0.x, r0.x, l(4)
ushr r0.xy, r0.xyxx, l(4, 4, 0, 0)
xor r0.x, r0.x, r0.y
and r0.x, r0.x, l(1)
movc r4.xyz, r0.xxxx, l(0.860000, 0.880000, 0.900000, 0), l(0.620000, 0.660000, 0.700000, 0)
mov r1.x, l(0)
loop 
  uge r1.z, r1.x, r1.y
  breakc_nz r1.z
  mov r2.x, x0[r1.x + 0].x
  ubfe r2.xyzw, l(8, 8, 8, 8), l(0, 8, 16, 24), r2.xxxx
  utof r2.xyzw, r2.xyzw
  mul r2.xyzw, r2.xyzw, l(0.003922, 0.003922, 0.003922, 0.003922)
  add r2.xyz, -r4.xyzx, r2.xyzx
  mad r4.xyz, r2.wwww, r2.xyzx, r4.xyzx
  iadd r1.x, r1.x, l(1)
endloop 
mov o0.xyz, r4.xyzx
mov o0.w, l(1.000000)
ret 
