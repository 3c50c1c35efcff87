import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseDescriptionText } from '../parse/parse-description.ts'
import { writtenResources } from './written.ts'

const written = (file: string): readonly (readonly [string, string | undefined])[] => {
  const text = readFileSync(new URL(`../../../examples/drawing/${file}`, import.meta.url), 'utf8')
  const { value } = parseDescriptionText(text)
  if (value?.kind !== 'frame') throw new Error(`${file} is no frame`)
  return [...writtenResources(value.frame)]
}

it('has what the last command draws to first, with the format of its view', () => {
  // The pipeline that draws the shadow is called "light", as the constant buffer is that it reads.
  expect(written('shadow-map.job.json')).toEqual([
    ['picture', undefined],
    ['depth', undefined],
    ['shadow', 'D32_FLOAT'],
  ])
})
