#!/usr/bin/env node
import { buildCli } from './program.ts'
import { runCli } from './run-cli.ts'

await runCli(buildCli(), process.argv)
