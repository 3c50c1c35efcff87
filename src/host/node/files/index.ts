/**
 * Reading a part of a file, and what the system's errors mean. Apart from the host of run descriptions, so that verbs which
 * run nothing load none of the machine.
 */
export { readPart } from './read-file.ts'
export { systemReason, writeReason } from './system-reason.ts'
