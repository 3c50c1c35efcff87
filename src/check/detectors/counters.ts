import type { MemoryEvent } from '../../engine/index.ts'
import { rowOfOpcode } from '../../isa/index.ts'
import type { StructuredBufferUav } from '../../machine/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import { type Site, siteOf } from '../report/finding.ts'
import { registerText } from './bounds.ts'

/** First uses of one counter in the dispatch. */
interface Uses {
  alloc?: Site
  consume?: Site
}

/** Alloc mixed with consume, consume below zero, append past the end (functional specification 5.3.10, 22.17.17). */
export function detectCounters(context: CheckContext): Detector {
  const { sink, declarations } = context
  const counters = new Map<object, Uses>()
  const directions = declarations.program.statements.map((s) => {
    const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
    return traits?.kind === 'counter' ? traits.direction : undefined
  })

  const rowSite = (event: MemoryEvent, row: number): Site => ({
    ...siteOf(event.wave, event.wave.lanes[row]!, 'atomic'),
    value: event.originals[row]! >>> 0,
  })

  const add = (
    code: 'check-counter-underflow' | 'check-counter-overflow',
    event: MemoryEvent,
    row: number,
    message: string,
    severity: 'error' | 'hint',
  ): void => {
    if (sink.known(code, event.wave.statement, -1, event.register)) return
    const memory = { space: 'counter', register: event.register } as const
    sink.add({ code, severity, message, site: rowSite(event, row), memory, notes: [] })
  }

  const checkMixed = (
    event: MemoryEvent,
    row: number,
    view: StructuredBufferUav,
    direction: 'alloc' | 'consume',
  ): void => {
    const uses: Uses = counters.get(view.counter!) ?? {}
    counters.set(view.counter!, uses)
    const other = direction === 'alloc' ? uses.consume : uses.alloc
    uses[direction] ??= rowSite(event, row)
    if (other === undefined) return
    if (sink.known('check-counter-mixed', event.wave.statement, other.statement, event.register)) return
    sink.add({
      code: 'check-counter-mixed',
      severity: 'error',
      message: `the counter of ${registerText('counter', event.register, declarations)} is incremented and decremented in one dispatch`,
      site: rowSite(event, row),
      other,
      memory: { space: 'counter', register: event.register },
      notes: ['use one dispatch to append and another to consume'],
    })
  }

  const checkRow = (event: MemoryEvent, row: number, direction: 'alloc' | 'consume'): void => {
    if (event.byteOffsets[row]! < 0) return
    const view = event.views === undefined ? event.view : event.views[row]
    if (view === undefined || view.kind !== 'uav' || view.shape !== 'structured' || view.counter === undefined) return
    checkMixed(event, row, view, direction)
    const before = event.originals[row]! >>> 0
    const name = registerText('counter', event.register, declarations)
    if (direction === 'consume') {
      if (before === 0)
        add('check-counter-underflow', event, row, `the counter of ${name} is decremented below zero`, 'error')
    } else if (before >= view.elementCount) {
      const message = `the counter of ${name} gives index ${before} of a buffer of ${view.elementCount} structures`
      add('check-counter-overflow', event, row, message, view.counter.use === 'append' ? 'error' : 'hint')
    }
  }

  return {
    observer: {
      memory(event) {
        if (event.space !== 'counter') return
        const direction = directions[event.wave.statement]
        if (direction === undefined) return
        for (let k = 0; k < event.wave.activeCount; k++) checkRow(event, k, direction)
      },
    },
  }
}
