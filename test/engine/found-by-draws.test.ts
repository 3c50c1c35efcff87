import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type BatchExecution, type Engine, type StreamSink, slotOf } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { FILE } from '../../src/isa/index.ts'
import { type Bound, createBuffer, createUav, resolveBindings } from '../../src/machine/index.ts'
import { batchOf, quadsOf } from '../support/batches.ts'
import { programOf } from '../support/run-text.ts'

/** Shaders of draws that random ones shrank to, with what they must leave by the specification; on every engine. */

const ENGINES: readonly (readonly [string, () => Engine])[] = [
  ['reference', () => createReferenceEngine({})],
  ...([1, 2, 4] as const).map((width) => [`${width} vectors`, () => createWasmEngineWith({ width })] as const),
]
const FOREVER = { time: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }

function begin(engine: Engine, text: string, bindings: Readonly<Record<string, Bound>> = {}): BatchExecution {
  const shader = valueOrThrow(engine.load(programOf(text)))
  return valueOrThrow(
    engine.begin(shader, valueOrThrow(resolveBindings(bindings)), { kind: 'batches' }),
  ) as BatchExecution
}

const GEOMETRY = `gs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v[1][0].xyzw
dcl_input vPrim
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.x
dcl_output o1.x
dcl_output o2.x
dcl_temps 2
`

interface Emitted {
  readonly vertices: readonly number[][]
  readonly codes: readonly string[]
}

/** First components of what is emitted for three primitives, behind the primitive's number. */
function emitted(engine: Engine, text: string): Emitted {
  const e = begin(engine, text)
  const vertices: number[][] = []
  const streams: StreamSink = {
    vertex: (i, _stream, words) => vertices.push([i, words[0]!, words[4]!, words[8]!]),
    cut: () => {},
  }
  const b = batchOf(e, 3, 0, { streams })
  const primitive = e.layouts[0]!.inputs.blocks.find((x) => x.file === FILE['input-primitive-id'])!
  for (let i = 0; i < 3; i++) b.inputs[slotOf(primitive, 0, 0, 0) * b.capacity + i] = i
  e.start(b)
  e.run(FOREVER)
  return { vertices, codes: e.finish().diagnostics.map((d) => d.code) }
}

describe.each(ENGINES)('%s', (_, create) => {
  test('a geometry shader that chooses an output by an index emits what the outputs are then', () => {
    const text = `${GEOMETRY}dcl_indexRange o0.x 3
dcl_maxout 3
mov r0.x, vPrim
mov o1.x, l(7)
mov o[r0.x].x, l(5)
emit_stream m0
mov o2.x, l(9)
emit_stream m0
ret
`
    const first = [
      [5, 7, 0],
      [0, 5, 0],
      [0, 7, 5],
    ]
    const want = first.flatMap(([a, b, c], i) => [
      [i, a, b, c],
      [i, a, b, 9],
    ])
    expect(emitted(create(), text).vertices).toEqual(want)
  })

  test('a geometry shader that is known to emit more than it may ends there', () => {
    const text = `${GEOMETRY}dcl_maxout 1
mov o0.x, vPrim
emit_stream m0
emit_stream m0
mov o0.x, l(9)
emit_stream m0
ret
`
    const { vertices, codes } = emitted(create(), text)
    expect(vertices).toEqual([0, 1, 2].map((i) => [i, i, 0, 0]))
    expect(codes).toEqual(['engine-max-vertex-count'])
  })

  test('one that does so in a subroutine ends too, not the subroutine alone', () => {
    // Findings count each emit that goes too far: one an invocation.
    const text = `${GEOMETRY}dcl_maxout 2
mov r0.x, l(0)
loop
uge r0.y, r0.x, l(5)
breakc_nz r0.y
mov o0.x, r0.x
call label0
iadd r0.x, r0.x, l(1)
endloop
ret
label label0
emit_stream m0
ret
`
    const engine = create()
    expect(emitted(engine, text).vertices).toEqual([0, 1, 2].flatMap((i) => [0, 1].map((n) => [i, n, 0, 0])))
    const e = begin(engine, text)
    e.start(batchOf(e, 3, 0, { streams: { vertex: () => {}, cut: () => {} } }))
    e.run(FOREVER)
    const [finding] = e.finish().diagnostics
    expect(finding!.notes![0]).toBe('first by invocation 0, and 2 more like it')
  })

  test('pixels of a quad that part in a switch run its cases in the order of the program, the default among them', () => {
    const text = `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input_ps constant v0.x
dcl_output o0.x
dcl_temps 1
switch v0.x
case l(2)
imm_atomic_iadd r0.x, u0, l(0), l(1)
break
default
imm_atomic_iadd r0.x, u0, l(0), l(10)
break
case l(0)
imm_atomic_iadd r0.x, u0, l(0), l(100)
break
endswitch
mov o0.x, r0.x
ret
`
    const engine = create()
    const memory = engine.memory === undefined ? {} : { memory: engine.memory }
    const u0 = createUav(createBuffer({ byteLength: 16, ...memory }).value!, { raw: true })
    const e = begin(engine, text, { u0: valueOrThrow(u0) })
    const b = batchOf(e, 4, 0, { quads: quadsOf(4) })
    b.inputs.set([0, 1, 2, 3])
    e.start(b)
    e.run(FOREVER)
    e.finish()
    // Pixel 2 is first, then 1 and 3 by the default, then 0.
    expect([...b.outputs.subarray(0, 4)]).toEqual([21, 1, 0, 11])
  })

  test('phases of a hull shader have arrays of their own, each of its own size', () => {
    const phase = (count: number, place: number): string => `hs_fork_phase
dcl_hs_fork_phase_instance_count 1
dcl_output o0.${'xy'[place]}
dcl_temps 2
dcl_indexableTemp x0[${count}], 4
mov r0.x, l(${count - 1})
mov x0[r0.x + 0].x, l(${count})
mov o0.${'xy'[place]}, x0[r0.x + 0].x
ret
`
    const text = `hs_5_0
hs_decls
dcl_input_control_point_count 1
dcl_output_control_point_count 1
dcl_tessellator_domain domain_isoline
dcl_tessellator_partitioning partitioning_integer
dcl_tessellator_output_primitive output_line
dcl_globalFlags refactoringAllowed
${phase(2, 0)}${phase(5, 1)}`
    const e = begin(create(), text)
    const words = [0, 1].map((entry) => {
      const b = batchOf(e, 1, entry)
      e.start(b)
      e.run(FOREVER)
      return [...b.outputs].filter((w) => w !== 0)
    })
    expect(words).toEqual([[2], [5]])
    expect(e.finish().diagnostics).toEqual([])
  })
})

test('what an engine allocates is its own memory, however often that of another has grown', async () => {
  const [engine, other] = [createWasmEngineWith({ threads: 1 }), createWasmEngineWith({ threads: 1 })]
  const text = 'vs_5_0\ndcl_uav_raw u0\ndcl_output o0.x\nstore_raw u0.x, l(0), l(1)\nmov o0.x, l(1)\nret\n'
  const shader = valueOrThrow(engine.load(programOf(text)))
  for (let n = 0; n < 5; n++) {
    // Hosts then make other objects for every shared memory, which hold the same.
    valueOrThrow(createBuffer({ byteLength: 300_000, memory: other.memory! }))
    await new Promise((done) => setTimeout(done, 0))
    const buffer = valueOrThrow(createBuffer({ byteLength: 16, memory: engine.memory! }))
    const u0 = valueOrThrow(createUav(buffer, { raw: true }))
    const begun = engine.begin(shader, valueOrThrow(resolveBindings({ u0 })), { kind: 'batches' })
    expect(begun.diagnostics).toEqual([])
    begun.value!.dispose()
  }
})
