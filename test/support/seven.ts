/** A shader of which the words of u0 become 7 and the number of the element, and the job that says so. */
export const SEVEN = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadID.x, l(2)
iadd r0.y, vThreadID.x, l(7)
store_raw u0.x, r0.x, r0.y
ret
`

/** `words`: what is expected of u0. */
export const sevenJob = (words: readonly number[] = [7, 8, 9, 10], shader = 'seven.dxasm') => ({
  name: 'seven',
  shader,
  dispatch: [1, 1, 1],
  resources: [{ slot: 'u0', kind: 'raw', size: 16 }],
  check: [{ slot: 'u0', words }],
})
