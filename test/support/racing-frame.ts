/** A frame whose pixel shader stores to memory: to a word of its own for each pixel, or all to one, which races. */

/** A triangle over the whole target, from SV_VertexID alone. */
export const WHOLE_TARGET = `vs_5_0
dcl_immediateConstantBuffer { { -1.0, 1.0, 0, 0}, { 3.0, 1.0, 0, 0}, { -1.0, -3.0, 0, 0} }
dcl_input_sgv v0.x, vertexID
dcl_output_siv o0.xyzw, position
dcl_temps 1
mov r0.x, v0.x
mov o0.xy, icb[r0.x + 0].xyxx
mov o0.zw, l(0,0,0.5,1.0)
ret`

/** Every pixel stores where it stands, at the byte given. */
export const storingPixel = (address: string): string => `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u1
dcl_input_ps_siv linear noperspective v0.xy, position
dcl_output o0.xyzw
dcl_temps 1
ftou r0.xy, v0.xyxx
imad r0.x, r0.y, l(4), r0.x
ishl r0.x, r0.x, l(2)
store_raw u1.x, ${address}, v0.x
mov o0.xyzw, l(1.0,1.0,1.0,1.0)
ret`

/** One draw with two shaders: names of files, or texts. */
export const storingFrame = (name: string, vertex: unknown, pixel: unknown): object => ({
  version: 2,
  name,
  resources: {
    picture: { kind: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 },
    log: { kind: 'buffer', size: 64 },
  },
  shaders: { place: vertex, paint: pixel },
  pipelines: {
    whole: {
      ...{ vertex: 'place', pixel: 'paint', topology: 'TRIANGLELIST', depthStencil: { depthEnable: false } },
      bind: { renderTargets: ['picture'], unorderedAccess: { u1: { resource: 'log', raw: true } } },
    },
  },
  commands: [
    { clear: 'picture', color: [0, 0, 0, 1] },
    { draw: 'whole', vertexCount: 3 },
  ],
})
