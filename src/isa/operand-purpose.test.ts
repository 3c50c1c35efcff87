/** Rows have the operands that readers find by purpose: what their traits say, they have, and nothing else. */
import { expect, it } from 'vitest'
import { INSTRUCTIONS, type InstructionRow, type OperandPurpose } from './index.ts'

/** Purposes that a row's traits need, in any order. */
function wanted({ traits }: InstructionRow): OperandPurpose[] {
  const when = (holds: boolean, ...purposes: OperandPurpose[]): OperandPurpose[] => (holds ? purposes : [])
  switch (traits.kind) {
    case 'load':
    case 'store':
      return [
        ...when(traits.addressing === 'typed' || traits.addressing === 'view', 'coordinates'),
        ...when(traits.addressing === 'structured', 'structure-index'),
        ...when(traits.addressing === 'structured' || traits.addressing === 'raw', 'byte-offset'),
        ...when(traits.kind === 'load' && traits.multisample, 'sample-index'),
        ...when(traits.kind === 'load' && traits.feedback, 'status'),
      ]
    case 'atomic':
      return ['coordinates']
    case 'sample':
      return [
        'coordinates',
        ...when(traits.lod === 'explicit', 'lod'),
        ...when(traits.lod === 'bias', 'lod-bias'),
        ...when(traits.lod === 'gradients', 'x-derivatives', 'y-derivatives'),
        ...when(traits.comparison, 'reference'),
        ...when(traits.clamp, 'lod-clamp'),
        ...when(traits.feedback, 'status'),
      ]
    case 'gather':
      return [
        'coordinates',
        ...when(traits.programmableOffset, 'texel-offset'),
        ...when(traits.comparison, 'reference'),
        ...when(traits.feedback, 'status'),
      ]
    case 'query':
      return [
        ...when(traits.query === 'resinfo', 'mip-level'),
        ...when(traits.query === 'samplepos', 'sample-index'),
        ...when(traits.query === 'lod', 'coordinates'),
      ]
    case 'eval':
      return [...when(traits.at === 'snapped', 'texel-offset'), ...when(traits.at === 'sample', 'sample-index')]
    default:
      return []
  }
}

it.each(INSTRUCTIONS.map((row) => [row.mnemonic, row] as const))('%s', (_name, row) => {
  const purposes = row.operands.flatMap((slot) => slot.purpose ?? [])
  expect(purposes.sort()).toEqual(wanted(row).sort())
})
