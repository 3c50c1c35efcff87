cs_4_0
dcl_globalFlags refactoringAllowed | enableRawAndStructuredBuffers
dcl_resource_structured t0, 4
dcl_uav_structured u0, 8
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.x
dcl_input vThreadID.x
dcl_temps 2
dcl_tgsm_structured g0, 8, 64
dcl_thread_group 64, 1, 1
ld_structured r0.x, vThreadID.x, l(0), t0.xxxx
mov r0.y, vThreadIDInGroupFlattened.x
store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx
sync_g_t
ult r0.z, vThreadIDInGroupFlattened.x, l(32)
if_nz r0.z
  iadd r0.w, vThreadIDInGroupFlattened.x, l(32)
  ld_structured r1.xy, r0.w, l(0), g0.xyxx
  ult r0.z, r1.x, r0.x
  movc r0.xy, r0.zzzz, r1.xyxx, r0.xyxx
  store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx
endif
sync_g_t
ult r0.z, vThreadIDInGroupFlattened.x, l(16)
if_nz r0.z
  iadd r0.w, vThreadIDInGroupFlattened.x, l(16)
  ld_structured r1.xy, r0.w, l(0), g0.xyxx
  ult r0.z, r1.x, r0.x
  movc r0.xy, r0.zzzz, r1.xyxx, r0.xyxx
  store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx
endif
sync_g_t
ult r0.z, vThreadIDInGroupFlattened.x, l(8)
if_nz r0.z
  iadd r0.w, vThreadIDInGroupFlattened.x, l(8)
  ld_structured r1.xy, r0.w, l(0), g0.xyxx
  ult r0.z, r1.x, r0.x
  movc r0.xy, r0.zzzz, r1.xyxx, r0.xyxx
  store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx
endif
sync_g_t
ult r0.z, vThreadIDInGroupFlattened.x, l(4)
if_nz r0.z
  iadd r0.w, vThreadIDInGroupFlattened.x, l(4)
  ld_structured r1.xy, r0.w, l(0), g0.xyxx
  ult r0.z, r1.x, r0.x
  movc r0.xy, r0.zzzz, r1.xyxx, r0.xyxx
  store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx
endif
sync_g_t
ult r0.z, vThreadIDInGroupFlattened.x, l(2)
if_nz r0.z
  iadd r0.w, vThreadIDInGroupFlattened.x, l(2)
  ld_structured r1.xy, r0.w, l(0), g0.xyxx
  ult r0.z, r1.x, r0.x
  movc r0.xy, r0.zzzz, r1.xyxx, r0.xyxx
  store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx
endif
sync_g_t
ult r0.z, vThreadIDInGroupFlattened.x, l(1)
if_nz r0.z
  iadd r0.w, vThreadIDInGroupFlattened.x, l(1)
  ld_structured r1.xy, r0.w, l(0), g0.xyxx
  ult r0.z, r1.x, r0.x
  movc r0.xy, r0.zzzz, r1.xyxx, r0.xyxx
  store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx
endif
sync_g_t
if_z vThreadIDInGroupFlattened.x
  store_structured u0.xy, vThreadGroupID.x, l(0), r0.xyxx
endif
ret
