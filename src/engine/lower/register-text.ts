import { componentAt, type Operand, type OperandIndex } from '../../program/index.ts'

function indexText(index: OperandIndex): string {
  let added: number | string = 0
  if ('value' in index) added = index.value
  else if ('offset' in index) added = index.offset
  else if ('high' in index) added = `${index.high}:${index.low}`
  return 'register' in index ? `${registerText(index.register)}.${componentAt(index.register, 0)}+${added}` : `${added}`
}

/** The register of an operand with its indices: one text for operands that read one register, whatever they take of it. */
export function registerText({ type, indices }: Operand): string {
  return `${type}[${indices.map(indexText).join()}]`
}
