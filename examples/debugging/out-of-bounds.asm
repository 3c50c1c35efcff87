cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_structured t0, 4
dcl_uav_structured u0, 4
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 32, 1, 1
ld_structured r0.x, vThreadID.x, l(0), t0.xxxx
iadd r0.y, vThreadID.x, l(1)
ld_structured r0.z, r0.y, l(0), t0.xxxx
iadd r0.x, r0.z, -r0.x
store_structured u0.x, vThreadID.x, l(0), r0.x
ret
