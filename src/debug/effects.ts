/** What one statement did, from its events. */
import { appendAll } from '../diagnostic/index.ts'
import type { MemoryEvent, Observer, WriteEvent } from '../engine/index.ts'
import { FILE } from '../isa/index.ts'
import { resourceOf } from './memory.ts'
import type { MemoryEffect, NextStatement, RegisterWrite, StatementEffects } from './model.ts'
import type { Recording } from './recording.ts'
import type { Task } from './task.ts'
import { writtenWord } from './words.ts'

function registerWrites(e: WriteEvent, file: number): RegisterWrite[] {
  const found: RegisterWrite[] = []
  for (let k = 0; k < e.wave.activeCount; k++) {
    const element = e.elements[k]!
    if (element < 0) continue
    for (let component = 0; component < 4; component++) {
      if (((e.mask >> component) & 1) === 0) continue
      found.push({
        place: { file, indices: e.file === 'indexable-temp' ? [e.register, element] : [e.register], component },
        lane: e.wave.lanes[k]!,
        original: e.before[k * 4 + component]!,
        value: writtenWord(e, file, component, k),
      })
    }
  }
  return found
}

function memoryEffects(e: MemoryEvent): MemoryEffect[] {
  const { access, space, register, byteLength, operand, width, valuesPerRow, wave } = e
  return Array.from({ length: wave.activeCount }, (_, row) => ({
    ...{ access, space, register, byteLength, operand },
    lane: wave.lanes[row]!,
    resource: resourceOf(e, row),
    byteOffsets: [...e.byteOffsets.subarray(row * width, (row + 1) * width)],
    values: [...e.values.subarray(row * valuesPerRow, (row + 1) * valuesPerRow)],
    originals: access === 'load' ? [] : [...e.originals.subarray(row * valuesPerRow, (row + 1) * valuesPerRow)],
  }))
}

/** Executes the statement that comes next and returns what it did. */
export async function effectsOf(r: Recording, next: NextStatement, task: Task): Promise<StatementEffects> {
  const before = r.clock
  let lanes: readonly number[] = []
  const registers: RegisterWrite[] = []
  const memory: MemoryEffect[] = []
  const { statements } = r.source.loaded.declarations.program
  const observer: Observer = {
    instruction: (wave) => {
      lanes = [...wave.lanes.subarray(0, wave.activeCount)]
    },
    write: (e) => {
      const s = statements[e.wave.statement]
      const file = s?.kind === 'instruction' ? s.operands[e.operand]?.type : undefined
      appendAll(registers, registerWrites(e, file ?? FILE.temp))
    },
    memory: (e) => {
      appendAll(memory, memoryEffects(e))
    },
  }
  await r.forward(before + 1, { observer }, task)
  return { ...next, before, lanes, registers, memory }
}
