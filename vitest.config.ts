import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'apps/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    setupFiles: ['test/support/verify-passes.ts'],
  },
})
