import { describe, expect, test } from 'vitest'
import { diagnostic, failure, outcomeOf } from '../diagnostic/index.ts'
import { heapMemory, type Memory, resolveBindings } from '../machine/index.ts'
import type { Program } from '../program/index.ts'
import type { DispatchOptions, DispatchResult, Engine, LoadedShader } from './contract.ts'
import { withFallback } from './fallback.ts'
import { runAtOnce } from './run-execution.ts'

const PROGRAM = {} as Program
const BINDINGS = resolveBindings({}).value!

interface Stub extends Engine {
  readonly loads: number
  readonly dispatches: number
  readonly disposed: boolean
}

/** An engine that loads everything but what `load` refuses, and answers dispatches with `answer`. */
function stub(name: string, o: { load?: string; memory?: Memory; answer?: (o: DispatchOptions) => string } = {}): Stub {
  const counts = { loads: 0, dispatches: 0, disposed: false }
  const engine: Stub = {
    name,
    ...(o.memory === undefined ? {} : { memory: o.memory }),
    get loads() {
      return counts.loads
    },
    get dispatches() {
      return counts.dispatches
    },
    get disposed() {
      return counts.disposed
    },
    load(_, options = {}) {
      counts.loads++
      if (o.load !== undefined) return failure([diagnostic(o.load as 'engine-flow', `${name} refuses`)])
      return outcomeOf({ engine: name, declarations: {} as never, options })
    },
    begin(shader, _bindings, _invocations, options = {}) {
      counts.dispatches++
      expect(shader.engine).toBe(name)
      const code = o.answer?.(options) ?? ''
      if (code !== '') return failure([diagnostic(code as 'engine-invalid-option', `${name} refuses`)])
      const result: DispatchResult = { diagnostics: [], undefinedCount: 0 }
      const progress = { done: 1, total: 1 }
      return outcomeOf({ progress, run: () => result, stop: () => result, dispose: () => undefined })
    },
    dispatch: (shader, bindings, groups, options) =>
      runAtOnce(engine.begin(shader, bindings, { kind: 'grid', groups }, options), options),
    dispose() {
      counts.disposed = true
    },
  }
  return engine
}

const run = (engine: Engine, shader: LoadedShader, options?: DispatchOptions) =>
  engine.dispatch(shader, BINDINGS, [1, 1, 1], options)

describe('two engines as one', () => {
  test('the first runs what it can, and the second is not asked to load it', async () => {
    const [first, second] = [stub('first'), stub('second')]
    const engine = withFallback(first, second)
    const shader = engine.load(PROGRAM).value!
    expect((await run(engine, shader)).engine).toBe('first')
    expect([second.loads, second.dispatches]).toEqual([0, 0])
  })

  test.each(['engine-not-compiled', 'engine-code-size', 'engine-compiler', 'engine-memory'])(
    'a dispatch refused with %s runs on the second, loaded once',
    async (code) => {
      const first = stub('first', { answer: (o) => (o.undefinedPolicy === 'poison' ? code : '') })
      const second = stub('second')
      const engine = withFallback(first, second)
      const shader = engine.load(PROGRAM).value!
      const poison = { undefinedPolicy: 'poison' } as const
      const { diagnostics, ...result } = await run(engine, shader, poison)
      expect(result).toEqual({ engine: 'second', undefinedCount: 0 })
      // A policy or an observer that code does not have was chosen by the caller; what a program or host lacks comes as a hint.
      const hints = code === 'engine-not-compiled' ? [] : ['engine-fallback']
      expect(diagnostics.map((d) => d.code)).toEqual(hints)
      expect((await run(engine, shader, poison)).engine).toBe('second')
      // Code that is too large is not made again.
      expect((await run(engine, shader)).engine).toBe(code === 'engine-code-size' ? 'second' : 'first')
      expect(second.loads).toBe(1)
    },
  )

  test('a dispatch that is wrong is refused in the words of the first', async () => {
    const [first, second] = [stub('first', { answer: () => 'engine-invalid-option' }), stub('second')]
    const engine = withFallback(first, second)
    const result = await run(engine, engine.load(PROGRAM).value!)
    expect(result).toMatchObject({ stopped: 'refused', diagnostics: [{ code: 'engine-invalid-option' }] })
    expect(second.dispatches).toBe(0)
  })

  test('a program that the first does not load runs on the second', async () => {
    const [first, second] = [stub('first', { load: 'engine-not-compiled' }), stub('second')]
    const engine = withFallback(first, second)
    const loaded = engine.load(PROGRAM)
    expect(loaded.diagnostics).toEqual([])
    expect((await run(engine, loaded.value!)).engine).toBe('second')
    expect(first.dispatches).toBe(0)
  })

  test('what neither loads is refused in the words of the second', () => {
    const engine = withFallback(
      stub('first', { load: 'engine-not-compiled' }),
      stub('second', { load: 'engine-declaration' }),
    )
    const { value, diagnostics } = engine.load(PROGRAM)
    expect(value).toBeUndefined()
    expect(diagnostics.map((d) => [d.code, d.message])).toEqual([['engine-declaration', 'second refuses']])
  })

  test('resources that the memory has no room for live on the heap, and only the memory is given its own back', () => {
    let left = 1
    const released: number[] = []
    const own: Memory = {
      shared: true,
      allocate: (n) => (left-- > 0 ? { buffer: new SharedArrayBuffer(n + 64), byteOffset: 64 } : undefined),
      release: (a) => void released.push(a.byteOffset),
    }
    const memory = withFallback(stub('first', { memory: own }), stub('second')).memory!
    const [a, b] = [memory.allocate(16)!, memory.allocate(16)!]
    expect([a.byteOffset, b.byteOffset, b.buffer.byteLength]).toEqual([64, 0, 16])
    memory.release!(b)
    memory.release!(a)
    expect(released).toEqual([64])
  })

  test('both are disposed of, and without a memory of the first there is none', () => {
    const [first, second] = [stub('first'), stub('second', { memory: heapMemory() })]
    const engine = withFallback(first, second)
    expect(engine.memory).toBeUndefined()
    engine.dispose?.()
    expect([first.disposed, second.disposed]).toEqual([true, true])
  })
})
