cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_structured t0, 4
dcl_uav_structured u0, 4
dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_tgsm_structured g0, 4, 64
dcl_thread_group 64, 1, 1
ult r0.x, vThreadIDInGroupFlattened.x, l(63)
if_nz r0.x
  ld_structured r0.y, vThreadIDInGroupFlattened.x, l(0), t0.xxxx
  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.y
endif
sync_g_t
iadd r0.z, l(63), -vThreadIDInGroupFlattened.x
ld_structured r1.x, r0.z, l(0), g0.xxxx
store_structured u0.x, vThreadIDInGroupFlattened.x, l(0), r1.x
ret
