import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderFindings } from '../scripts/findings-reference.ts'
import { isaAsJson, renderInstructionReference } from '../scripts/isa-reference.ts'
import { renderManPage } from '../scripts/man-page.ts'
import { INSTRUCTIONS } from '../src/isa/index.ts'

const page = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')

describe('generated documentation', () => {
  it('is up to date: the instruction reference (npm run docs)', () => {
    expect(page('instructions.md')).toBe(renderInstructionReference())
    expect(page('findings.md')).toBe(renderFindings())
  })

  it('is up to date: the manual page (npm run docs)', () => {
    expect(readFileSync(new URL('../man/heddle.1', import.meta.url), 'utf8')).toBe(renderManPage())
  })

  it('publishes the table as JSON without loss', () => {
    const json = JSON.parse(JSON.stringify(isaAsJson()))
    expect(json).toEqual(isaAsJson())
    expect(json.instructions.length).toBe(INSTRUCTIONS.length)
  })
})

describe('examples in pages', () => {
  it('are those that run: the test of the page on checking', () => {
    const example = readFileSync(new URL('../examples/check-in-tests/clean.test.mjs', import.meta.url), 'utf8')
    expect(page('checking.md')).toContain(`\`\`\`js\n${example}\`\`\`\n`)
  })
})

it('the list of decisions names every page once, and none that there is not', () => {
  const pages = readdirSync(new URL('../docs/decisions', import.meta.url)).filter((name) => name !== 'README.md')
  const listed = [...page('decisions/README.md').matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => name)
  expect(listed.sort()).toEqual(pages.sort())
})
