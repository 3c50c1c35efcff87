/** Writes man/heddle.1, a part of the package. Part of `npm run docs`; a test holds the file against this. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { renderManPage } from './man-page.ts'

mkdirSync(new URL('../man/', import.meta.url), { recursive: true })
writeFileSync(new URL('../man/heddle.1', import.meta.url), renderManPage())
