// Exact arithmetic on decimal text: totals that must add up to the last cent, whatever the number of rows.

/** The decimal times 10^scale, or null when it has more decimals than that. */
export function decimalToScaled(value: string, scale: number): bigint | null {
  const [whole = '0', fraction = ''] = value.split('.');
  if (fraction.length > scale) return null;
  const magnitude = BigInt(whole.replace('-', '') + fraction.padEnd(scale, '0'));
  return value.startsWith('-') ? -magnitude : magnitude;
}

export function scaledToDecimal(scaled: bigint, scale: number): string {
  const negative = scaled < 0n;
  const digits = (negative ? -scaled : scaled).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A running sum that widens when a value brings more decimals. */
export class DecimalSum {
  #scaled = 0n;
  #scale = 2;

  add(value: string): void {
    const decimals = value.includes('.') ? value.length - value.indexOf('.') - 1 : 0;
    if (decimals > this.#scale) {
      this.#scaled *= 10n ** BigInt(decimals - this.#scale);
      this.#scale = decimals;
    }
    this.#scaled += decimalToScaled(value, this.#scale) ?? 0n;
  }

  toString(): string {
    return scaledToDecimal(this.#scaled, this.#scale);
  }
}
