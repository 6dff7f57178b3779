;; Arithmetic on int8 vectors in place: in the arena of a graph, or in the scratch buffers of a
;; thread. Needs 128-bit SIMD.
;;
;; Callers check addresses, lengths and counts against the memory. All are in bytes; vectors are
;; 16-byte aligned and their lengths are multiples of 32. A slot is
;;
;;   0 vertex | 4 squares | 8 scale | 12 1/|v| | 16 fingerprint low, high | 24 length | 28 links
;;   32 int8 x length
;;
;; and in spaces of larger precision then
;;
;;   row, which holds the exact components | 4 residual | 8 float64 sum of squares
(module
  (import "svc" "arena" (memory 1 65536 shared))

  ;; Dot product of two int8 vectors.
  (func $dot (export "dot") (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local $end i32) (local $x v128) (local $y v128)
    (local.set $end (i32.add (local.get $a) (local.get $length)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (local.set $x (i32x4.add (local.get $x) (i32x4.dot_i16x8_s
        (v128.load8x8_s (local.get $a)) (v128.load8x8_s (local.get $b)))))
      (local.set $y (i32x4.add (local.get $y) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=8 (local.get $a)) (v128.load8x8_s offset=8 (local.get $b)))))
      (local.set $x (i32x4.add (local.get $x) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=16 (local.get $a)) (v128.load8x8_s offset=16 (local.get $b)))))
      (local.set $y (i32x4.add (local.get $y) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=24 (local.get $a)) (v128.load8x8_s offset=24 (local.get $b)))))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br $next)))
    (call $sum (i32x4.add (local.get $x) (local.get $y))))

  ;; Sum of the four lanes.
  (func $sum (param $v v128) (result i32)
    (local.set $v (i32x4.add (local.get $v)
      (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $v) (local.get $v))))
    (i32.add (i32x4.extract_lane 0 (local.get $v)) (i32x4.extract_lane 1 (local.get $v))))

  ;; As $dot with an int16 probe, which halves the work.
  (func $wide (export "wide") (param $probe i32) (param $v i32) (param $length i32) (result i32)
    (local $end i32) (local $x v128) (local $y v128) (local $z v128) (local $w v128)
    (local.set $end (i32.add (local.get $v) (local.get $length)))
    (loop $next
      (local.set $x (i32x4.add (local.get $x) (i32x4.dot_i16x8_s
        (v128.load (local.get $probe)) (v128.load8x8_s (local.get $v)))))
      (local.set $y (i32x4.add (local.get $y) (i32x4.dot_i16x8_s
        (v128.load offset=16 (local.get $probe)) (v128.load8x8_s offset=8 (local.get $v)))))
      (local.set $z (i32x4.add (local.get $z) (i32x4.dot_i16x8_s
        (v128.load offset=32 (local.get $probe)) (v128.load8x8_s offset=16 (local.get $v)))))
      (local.set $w (i32x4.add (local.get $w) (i32x4.dot_i16x8_s
        (v128.load offset=48 (local.get $probe)) (v128.load8x8_s offset=24 (local.get $v)))))
      (local.set $probe (i32.add (local.get $probe) (i32.const 64)))
      (local.set $v (i32.add (local.get $v) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $v) (local.get $end))))
    (call $sum (i32x4.add
      (i32x4.add (local.get $x) (local.get $y))
      (i32x4.add (local.get $z) (local.get $w)))))

  ;; Scores of the slots whose addresses are listed: dot * 1/|v| * factor, as float32.
  (func (export "many")
    (param $list i32) (param $count i32) (param $probe i32) (param $length i32)
    (param $factor f32) (param $to i32)
    (local $end i32) (local $slot i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (local.set $slot (i32.load (local.get $list)))
      (f32.store (local.get $to) (f32.mul
        (f32.mul (local.get $factor) (f32.load offset=12 (local.get $slot)))
        (f32.convert_i32_s (call $wide
          (local.get $probe) (i32.add (local.get $slot) (i32.const 32)) (local.get $length)))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (br $next))))

  ;; Prefetch: reads a word of each cache line of the listed slots, so that misses overlap.
  (func (export "touch")
    (param $list i32) (param $count i32) (param $bytes i32) (result i32)
    (local $end i32) (local $at i32) (local $last i32) (local $seen i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (local.set $at (i32.load (local.get $list)))
      (local.set $last (i32.add (local.get $at) (local.get $bytes)))
      (loop $line
        (local.set $seen (i32.or (local.get $seen) (i32.load (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $line (i32.lt_u (local.get $at) (local.get $last))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (br $next)))
    (local.get $seen))

  ;; Scans contiguous slots; writes {address, score} of each slot that has a vertex and reaches the
  ;; threshold. Returns their number.
  (func (export "scan")
    (param $slot i32) (param $count i32) (param $stride i32) (param $probe i32)
    (param $factor f32) (param $threshold f32) (param $to i32) (result i32)
    (local $end i32) (local $score f32) (local $length i32) (local $start i32)
    (local.set $start (local.get $to))
    (local.set $length (i32.sub (local.get $stride) (i32.const 32)))
    (local.set $end (i32.add (local.get $slot) (i32.mul (local.get $count) (local.get $stride))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $slot) (local.get $end)))
      (if (i32.load (local.get $slot)) (then
        (local.set $score (f32.mul
          (f32.mul (local.get $factor) (f32.load offset=12 (local.get $slot)))
          (f32.convert_i32_s (call $wide
            (local.get $probe) (i32.add (local.get $slot) (i32.const 32)) (local.get $length)))))
        (if (f32.ge (local.get $score) (local.get $threshold)) (then
          (i32.store (local.get $to) (local.get $slot))
          (f32.store offset=4 (local.get $to) (local.get $score))
          (local.set $to (i32.add (local.get $to) (i32.const 8)))))))
      (local.set $slot (i32.add (local.get $slot) (local.get $stride)))
      (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $start)) (i32.const 3)))

  ;; scale * (factor * dot + weight * scale * squares) + base of one slot.
  (func $scaled
    (param $slot i32) (param $length i32) (param $probe i32)
    (param $factor f32) (param $weight f32) (param $base f32) (result f32)
    (f32.add (local.get $base) (f32.mul (f32.load offset=8 (local.get $slot)) (f32.add
      (f32.mul (local.get $factor) (f32.convert_i32_s (call $wide
        (local.get $probe) (i32.add (local.get $slot) (i32.const 32)) (local.get $length))))
      (f32.mul
        (f32.mul (local.get $weight) (f32.load offset=8 (local.get $slot)))
        (f32.convert_i32_u (i32.load offset=4 (local.get $slot))))))))

  ;; As many, for scores that depend on the scale: dot product and distance.
  (func (export "manyScaled")
    (param $list i32) (param $count i32) (param $probe i32) (param $length i32)
    (param $factor f32) (param $weight f32) (param $base f32) (param $to i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (f32.store (local.get $to) (call $scaled
        (i32.load (local.get $list)) (local.get $length) (local.get $probe)
        (local.get $factor) (local.get $weight) (local.get $base)))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (br $next))))

  ;; As scan, for scores that depend on the scale. A score that is not a number is reported.
  (func (export "scanScaled")
    (param $slot i32) (param $count i32) (param $stride i32) (param $probe i32)
    (param $factor f32) (param $weight f32) (param $base f32) (param $threshold f32)
    (param $to i32) (result i32)
    (local $end i32) (local $score f32) (local $start i32)
    (local.set $start (local.get $to))
    (local.set $end (i32.add (local.get $slot) (i32.mul (local.get $count) (local.get $stride))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $slot) (local.get $end)))
      (if (i32.load (local.get $slot)) (then
        (local.set $score (call $scaled
          (local.get $slot) (i32.sub (local.get $stride) (i32.const 32)) (local.get $probe)
          (local.get $factor) (local.get $weight) (local.get $base)))
        (if (i32.eqz (f32.lt (local.get $score) (local.get $threshold))) (then
          (i32.store (local.get $to) (local.get $slot))
          (f32.store offset=4 (local.get $to) (local.get $score))
          (local.set $to (i32.add (local.get $to) (i32.const 8)))))))
      (local.set $slot (i32.add (local.get $slot) (local.get $stride)))
      (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $start)) (i32.const 3)))

  ;; As scan over slots of larger precision, by an upper bound of the exact score:
  ;;
  ;;   field * (product * dot + residual * own residual + reach * sqrt(squares)) + offset * exact
  ;;
  ;; $field is the offset of a float32 of the slot: 8 its scale, 12 its factor. The last term is
  ;; computed in float64 and clamped, so that infinities cannot cancel. A bound that is not a number
  ;; is reported.
  (func (export "bounded")
    (param $slot i32) (param $count i32) (param $stride i32) (param $length i32)
    (param $probe i32) (param $field i32) (param $product f32) (param $residual f32)
    (param $reach f32) (param $offset f64) (param $threshold f32) (param $to i32) (result i32)
    (local $end i32) (local $bound f32) (local $tail i32) (local $start i32)
    (local.set $start (local.get $to))
    (local.set $end (i32.add (local.get $slot) (i32.mul (local.get $count) (local.get $stride))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $slot) (local.get $end)))
      (if (i32.load (local.get $slot)) (then
        (local.set $tail (i32.add
          (i32.add (local.get $slot) (i32.const 32)) (local.get $length)))
        (local.set $bound (f32.add
          (f32.mul
            (f32.load (i32.add (local.get $slot) (local.get $field)))
            (f32.add
              (f32.add
                (f32.mul (local.get $product) (f32.convert_i32_s (call $wide
                  (local.get $probe)
                  (i32.add (local.get $slot) (i32.const 32))
                  (local.get $length))))
                (f32.mul (local.get $residual) (f32.load offset=4 (local.get $tail))))
              (f32.mul (local.get $reach) (f32.sqrt (f32.convert_i32_u
                (i32.load offset=4 (local.get $slot)))))))
          (f32.max (f32.const -3.4e38) (f32.demote_f64 (f64.mul
            (local.get $offset) (f64.load offset=8 (local.get $tail)))))))
        (if (i32.eqz (f32.lt (local.get $bound) (local.get $threshold))) (then
          (i32.store (local.get $to) (local.get $slot))
          (f32.store offset=4 (local.get $to) (local.get $bound))
          (local.set $to (i32.add (local.get $to) (i32.const 8)))))))
      (local.set $slot (i32.add (local.get $slot) (local.get $stride)))
      (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $start)) (i32.const 3)))

  ;; Sum of the two lanes.
  (func $sumTwo (param $v v128) (result f64)
    (f64.add (f64x2.extract_lane 0 (local.get $v)) (f64x2.extract_lane 1 (local.get $v))))

  ;; The upper two float32s, in lanes 0 and 1.
  (func $upper (param $v v128) (result v128)
    (i8x16.shuffle 8 9 10 11 12 13 14 15 0 0 0 0 0 0 0 0 (local.get $v) (local.get $v)))

  ;; Four float16s as float32s: the bits are moved to their places, and the exponent is corrected by
  ;; a multiplication, which is exact, also for subnormal numbers.
  (func $fourHalves (param $from i32) (result v128)
    (local $bits v128)
    (local.set $bits (v128.load16x4_u (local.get $from)))
    (v128.or
      (f32x4.mul
        (i32x4.shl
          (v128.and (local.get $bits) (i32x4.splat (i32.const 0x7fff))) (i32.const 13))
        (f32x4.splat (f32.const 0x1p112)))
      (i32x4.shl
        (v128.and (local.get $bits) (i32x4.splat (i32.const 0x8000))) (i32.const 16))))

  ;; Dot product of float32s, in float64: no product is rounded.
  (func (export "dotFloats") (param $a i32) (param $b i32) (param $length i32) (result f64)
    (local $end i32) (local $p v128) (local $q v128) (local $x v128) (local $y v128)
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (local.set $p (v128.load (local.get $a)))
      (local.set $q (v128.load (local.get $b)))
      (local.set $x (f64x2.add (local.get $x) (f64x2.mul
        (f64x2.promote_low_f32x4 (local.get $p)) (f64x2.promote_low_f32x4 (local.get $q)))))
      (local.set $y (f64x2.add (local.get $y) (f64x2.mul
        (f64x2.promote_low_f32x4 (call $upper (local.get $p)))
        (f64x2.promote_low_f32x4 (call $upper (local.get $q))))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (br $next)))
    (call $sumTwo (f64x2.add (local.get $x) (local.get $y))))

  ;; Squared distance of float32s, in float64.
  (func (export "distanceFloats") (param $a i32) (param $b i32) (param $length i32) (result f64)
    (local $end i32) (local $p v128) (local $q v128) (local $x v128) (local $y v128)
    (local $d v128)
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (local.set $p (v128.load (local.get $a)))
      (local.set $q (v128.load (local.get $b)))
      (local.set $d (f64x2.sub
        (f64x2.promote_low_f32x4 (local.get $p)) (f64x2.promote_low_f32x4 (local.get $q))))
      (local.set $x (f64x2.add (local.get $x) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $d (f64x2.sub
        (f64x2.promote_low_f32x4 (call $upper (local.get $p)))
        (f64x2.promote_low_f32x4 (call $upper (local.get $q)))))
      (local.set $y (f64x2.add (local.get $y) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (br $next)))
    (call $sumTwo (f64x2.add (local.get $x) (local.get $y))))

  ;; Float16s times a power of two, as float32s.
  (func (export "widenHalves")
    (param $from i32) (param $length i32) (param $unit f32) (param $to i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
      (v128.store (local.get $to) (f32x4.mul
        (call $fourHalves (local.get $from)) (f32x4.splat (local.get $unit))))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br $next))))

  ;; Largest magnitude of float32s; NaN or infinity if there is one.
  (func (export "largest") (param $from i32) (param $length i32) (result f32)
    (local $end i32) (local $max v128)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (local.set $max (f32x4.max (local.get $max) (f32x4.abs (v128.load (local.get $from)))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br $next)))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $max)) (f32x4.extract_lane 1 (local.get $max)))
      (f32.max (f32x4.extract_lane 2 (local.get $max)) (f32x4.extract_lane 3 (local.get $max)))))

  ;; Two float32s divided by the scale and rounded half away from zero, in lanes 0 and 1.
  (func $rounded (param $pair v128) (param $scale v128) (result v128)
    (local.set $pair (f64x2.div (f64x2.promote_low_f32x4 (local.get $pair)) (local.get $scale)))
    (i32x4.trunc_sat_f64x2_s_zero (f64x2.add (local.get $pair) (v128.bitselect
      (v128.const f64x2 0.5 0.5) (local.get $pair)
      (v128.const i64x2 0x7fffffffffffffff 0x7fffffffffffffff)))))

  (func $roundedFour (param $four v128) (param $scale v128) (result v128)
    (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
      (call $rounded (local.get $four) (local.get $scale))
      (call $rounded
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 0 0 0 0 0 0 0 (local.get $four) (local.get $four))
        (local.get $scale))))

  (func $roundedEight (param $from i32) (param $scale v128) (result v128)
    (i16x8.narrow_i32x4_s
      (call $roundedFour (v128.load (local.get $from)) (local.get $scale))
      (call $roundedFour (v128.load offset=16 (local.get $from)) (local.get $scale))))

  ;; Quantizes float32s to int8 from -127 to 127.
  (func (export "quantize")
    (param $from i32) (param $length i32) (param $scale f64) (param $to i32)
    (local $end i32) (local $scales v128)
    (local.set $scales (f64x2.splat (local.get $scale)))
    (local.set $end (i32.add (local.get $to) (local.get $length)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
      (v128.store (local.get $to) (i8x16.max_s
        (i8x16.splat (i32.const -127))
        (i8x16.narrow_i16x8_s
          (call $roundedEight (local.get $from) (local.get $scales))
          (call $roundedEight (i32.add (local.get $from) (i32.const 32)) (local.get $scales)))))
      (local.set $from (i32.add (local.get $from) (i32.const 64)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br $next))))

  (func $mix (export "mix") (param $n i64) (result i64)
    (local $h i64) (local $b i64)
    (local.set $b (i64.mul (i64.and (local.get $n) (i64.const 0x1ffff))
      (i64.const 0xc6a4a7935bd1e995)))
    (local.set $b (i64.xor (local.get $b) (i64.shr_u (local.get $b) (i64.const 47))))
    (local.set $h (i64.xor (i64.xor (local.get $n) (i64.const 0x9e3779b97f4a7c15))
      (local.get $b)))
    (local.set $h (i64.mul (local.get $h) (i64.const 0x94d049bb133111eb)))
    (local.set $h (i64.xor (local.get $h) (i64.rotr (local.get $h) (i64.const 23))))
    (local.set $h (i64.rotr (local.get $h) (i64.const 11)))
    (local.set $h (i64.mul (local.get $h) (i64.const 0x2545f4914f6cdd1d)))
    (i64.xor (local.get $h) (i64.rotr (local.get $h) (i64.const 33))))

  ;; Weights of a fingerprint from an even position on: 256 bytes per pair of positions, in which
  ;; word k holds both weights of bit k; each group of four bits is stored in reverse. The generator
  ;; continues from the state {seed s1 ... s4, h1 ... h4} and updates it.
  (func (export "weights") (param $table i32) (param $positions i32) (param $state i32)
    (local $position i32) (local $k i32) (local $word i64) (local $at i32)
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $position) (local.get $positions)))
      (local.set $k (i32.const 0))
      (loop $bit
        (local.set $word (i64.load offset=32 (i32.add (local.get $state)
          (i32.shl (i32.and (local.get $k) (i32.const 3)) (i32.const 3)))))
        (local.set $at (i32.add
          (i32.add (local.get $table) (i32.shl
            (i32.shr_u (local.get $position) (i32.const 1)) (i32.const 8)))
          (i32.add
            (i32.shl (i32.xor (local.get $k) (i32.const 3)) (i32.const 2))
            (i32.shl (i32.and (local.get $position) (i32.const 1)) (i32.const 1)))))
        (i32.store16 (local.get $at) (i32.sub
          (i32.shl (i32.and (i32.const 15) (i32.wrap_i64 (i64.shr_u (local.get $word)
            (i64.extend_i32_u (i32.and (local.get $k) (i32.const -4)))))) (i32.const 1))
          (i32.const 15)))
        (local.set $k (i32.add (local.get $k) (i32.const 1)))
        (br_if $bit (i32.lt_u (local.get $k) (i32.const 64))))
      (i64.store offset=32 (local.get $state) (call $mix (i64.add
        (i64.load offset=40 (local.get $state)) (i64.load (local.get $state)))))
      (i64.store offset=40 (local.get $state) (call $mix (i64.add
        (i64.load offset=48 (local.get $state)) (i64.load offset=8 (local.get $state)))))
      (i64.store offset=48 (local.get $state) (call $mix (i64.add
        (i64.load offset=56 (local.get $state)) (i64.load offset=16 (local.get $state)))))
      (i64.store offset=56 (local.get $state) (call $mix (i64.add
        (i64.load offset=32 (local.get $state)) (i64.load offset=24 (local.get $state)))))
      (local.set $position (i32.add (local.get $position) (i32.const 1)))
      (br $next))))

  ;; Signs of the 64 weighted sums of a vector, highest bit first; written to $to, low word first.
  (func (export "fingerprint") (param $v i32) (param $length i32) (param $table i32) (param $to i32)
    (local $end i32) (local $pair v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $a4 v128) (local $a5 v128) (local $a6 v128) (local $a7 v128)
    (local $a8 v128) (local $a9 v128) (local $a10 v128) (local $a11 v128)
    (local $a12 v128) (local $a13 v128) (local $a14 v128) (local $a15 v128)
    (local.set $end (i32.add (local.get $v) (local.get $length)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $v) (local.get $end)))
      (local.set $pair (i32x4.splat (i32.or
        (i32.and (i32.load8_s (local.get $v)) (i32.const 0xffff))
        (i32.shl (i32.load8_s offset=1 (local.get $v)) (i32.const 16)))))
      (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load (local.get $table)))))
      (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=16 (local.get $table)))))
      (local.set $a2 (i32x4.add (local.get $a2) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=32 (local.get $table)))))
      (local.set $a3 (i32x4.add (local.get $a3) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=48 (local.get $table)))))
      (local.set $a4 (i32x4.add (local.get $a4) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=64 (local.get $table)))))
      (local.set $a5 (i32x4.add (local.get $a5) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=80 (local.get $table)))))
      (local.set $a6 (i32x4.add (local.get $a6) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=96 (local.get $table)))))
      (local.set $a7 (i32x4.add (local.get $a7) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=112 (local.get $table)))))
      (local.set $a8 (i32x4.add (local.get $a8) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=128 (local.get $table)))))
      (local.set $a9 (i32x4.add (local.get $a9) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=144 (local.get $table)))))
      (local.set $a10 (i32x4.add (local.get $a10) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=160 (local.get $table)))))
      (local.set $a11 (i32x4.add (local.get $a11) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=176 (local.get $table)))))
      (local.set $a12 (i32x4.add (local.get $a12) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=192 (local.get $table)))))
      (local.set $a13 (i32x4.add (local.get $a13) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=208 (local.get $table)))))
      (local.set $a14 (i32x4.add (local.get $a14) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=224 (local.get $table)))))
      (local.set $a15 (i32x4.add (local.get $a15) (i32x4.dot_i16x8_s
        (local.get $pair) (v128.load offset=240 (local.get $table)))))
      (local.set $v (i32.add (local.get $v) (i32.const 2)))
      (local.set $table (i32.add (local.get $table) (i32.const 256)))
      (br $next)))
    (i32.store offset=4 (local.get $to)
      (i32.or
        (i32.or
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a0)) (i32.const 28))
            (i32.shl (i32x4.bitmask (local.get $a1)) (i32.const 24)))
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a2)) (i32.const 20))
            (i32.shl (i32x4.bitmask (local.get $a3)) (i32.const 16))))
        (i32.or
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a4)) (i32.const 12))
            (i32.shl (i32x4.bitmask (local.get $a5)) (i32.const 8)))
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a6)) (i32.const 4))
            (i32x4.bitmask (local.get $a7))))))
    (i32.store (local.get $to)
      (i32.or
        (i32.or
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a8)) (i32.const 28))
            (i32.shl (i32x4.bitmask (local.get $a9)) (i32.const 24)))
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a10)) (i32.const 20))
            (i32.shl (i32x4.bitmask (local.get $a11)) (i32.const 16))))
        (i32.or
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a12)) (i32.const 12))
            (i32.shl (i32x4.bitmask (local.get $a13)) (i32.const 8)))
          (i32.or
            (i32.shl (i32x4.bitmask (local.get $a14)) (i32.const 4))
            (i32x4.bitmask (local.get $a15))))))))
