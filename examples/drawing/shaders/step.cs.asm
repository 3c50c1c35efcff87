// Moves particles: each thread pushes one of them away from the axis and lets it fall. u0 has 20 bytes for each: place, size, color.
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[1], immediateIndexed
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group 64, 1, 1
ult r0.x, vThreadID.x, cb0[0].x
if_nz r0.x
  imul null, r0.y, vThreadID.x, l(20)
  ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.xyz, r0.y, u0.xyzx
  dp2 r0.z, r1.xzxx, r1.xzxx
  add r0.z, r0.z, l(0.250000)
  rsq r0.z, r0.z
  mul r2.xz, r1.xxzx, r0.zzzz
  mov r2.y, l(-1.000000)
  mad r1.xyz, r2.xyzx, cb0[0].yyyy, r1.xyzx
  store_raw u0.xyz, r0.y, r1.xyzx
endif 
ret 
