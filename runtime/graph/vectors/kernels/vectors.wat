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
;;
;; In a space of binary vectors, a slot has bits instead of int8: a multiple of 16 bytes. Kernels
;; that compare such slots get the number of these bytes as a negative length.
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
    (local.set $x (i32x4.add
      (i32x4.add (local.get $x) (local.get $y))
      (i32x4.add (local.get $z) (local.get $w))))
    (local.set $x (i32x4.add (local.get $x)
      (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
    (i32.add (i32x4.extract_lane 0 (local.get $x)) (i32x4.extract_lane 1 (local.get $x))))

  ;; Dot product of two binary vectors of a multiple of 16 bytes: the number of bits both have set.
  (func $common (export "common") (param $a i32) (param $b i32) (param $bytes i32) (result i32)
    (local $end i32) (local $x i64) (local $y i64)
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (local.set $x (i64.add (local.get $x) (i64.popcnt (i64.and
        (i64.load (local.get $a)) (i64.load (local.get $b))))))
      (local.set $y (i64.add (local.get $y) (i64.popcnt (i64.and
        (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b))))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (br $next)))
    (i32.wrap_i64 (i64.add (local.get $x) (local.get $y))))

  ;; Scores of the listed slots of bits, as in $many. The scale of bits is 1. Bits that both have
  ;; set are counted as in $common, whose call would take longer than that.
  (func $manyBits
    (param $list i32) (param $count i32) (param $probe i32) (param $bytes i32)
    (param $field i32) (param $factor f32) (param $weight f32) (param $base f32) (param $to i32)
    (local $end i32) (local $slot i32) (local $p i32) (local $v i32) (local $last i32)
    (local $x i64) (local $y i64)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (local.set $slot (i32.and (i32.load (local.get $list)) (i32.const -4)))
      (local.set $p (local.get $probe))
      (local.set $v (local.get $slot))
      (local.set $last (i32.add (local.get $slot) (local.get $bytes)))
      (local.set $x (i64.const 0))
      (local.set $y (i64.const 0))
      (loop $part
        (local.set $x (i64.add (local.get $x) (i64.popcnt (i64.and
          (i64.load (local.get $p)) (i64.load offset=32 (local.get $v))))))
        (local.set $y (i64.add (local.get $y) (i64.popcnt (i64.and
          (i64.load offset=8 (local.get $p)) (i64.load offset=40 (local.get $v))))))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (local.set $v (i32.add (local.get $v) (i32.const 16)))
        (br_if $part (i32.lt_u (local.get $v) (local.get $last))))
      (f32.store (local.get $to) (f32.add (local.get $base) (f32.mul
        (f32.load (i32.add (local.get $slot) (local.get $field)))
        (f32.add
          (f32.mul (local.get $factor) (f32.convert_i64_u
            (i64.add (local.get $x) (local.get $y))))
          (f32.mul (local.get $weight) (f32.convert_i32_u
            (i32.load offset=4 (local.get $slot))))))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (br $next))))

  ;; Scores of the slots whose addresses are listed, with any lowest bits, as float32: of each
  ;;
  ;;   field * (factor * dot + weight * scale * squares) + base
  ;;
  ;; $field is the offset of a float32 of the slot: 8 its scale, 12 its 1/|v|. The dot product is
  ;; that of $wide, whose call would take as long as a short vector.
  (func $many (export "many")
    (param $list i32) (param $count i32) (param $probe i32) (param $length i32)
    (param $field i32) (param $factor f32) (param $weight f32) (param $base f32) (param $to i32)
    (local $last i32) (local $slot i32) (local $p i32) (local $v i32) (local $end i32)
    (local $score f32) (local $x v128) (local $y v128) (local $z v128) (local $w v128)
    (if (i32.lt_s (local.get $length) (i32.const 0)) (then
      (call $manyBits (local.get $list) (local.get $count) (local.get $probe)
        (i32.sub (i32.const 0) (local.get $length)) (local.get $field) (local.get $factor)
        (local.get $weight) (local.get $base) (local.get $to))
      (return)))
    (local.set $last (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $last)))
      (local.set $slot (i32.and (i32.load (local.get $list)) (i32.const -4)))
      (local.set $p (local.get $probe))
      (local.set $v (local.get $slot))
      (local.set $end (i32.add (local.get $slot) (local.get $length)))
      (local.set $x (v128.const i32x4 0 0 0 0))
      (local.set $y (v128.const i32x4 0 0 0 0))
      (local.set $z (v128.const i32x4 0 0 0 0))
      (local.set $w (v128.const i32x4 0 0 0 0))
      (loop $part
        (local.set $x (i32x4.add (local.get $x) (i32x4.dot_i16x8_s
          (v128.load (local.get $p)) (v128.load8x8_s offset=32 (local.get $v)))))
        (local.set $y (i32x4.add (local.get $y) (i32x4.dot_i16x8_s
          (v128.load offset=16 (local.get $p)) (v128.load8x8_s offset=40 (local.get $v)))))
        (local.set $z (i32x4.add (local.get $z) (i32x4.dot_i16x8_s
          (v128.load offset=32 (local.get $p)) (v128.load8x8_s offset=48 (local.get $v)))))
        (local.set $w (i32x4.add (local.get $w) (i32x4.dot_i16x8_s
          (v128.load offset=48 (local.get $p)) (v128.load8x8_s offset=56 (local.get $v)))))
        (local.set $p (i32.add (local.get $p) (i32.const 64)))
        (local.set $v (i32.add (local.get $v) (i32.const 32)))
        (br_if $part (i32.lt_u (local.get $v) (local.get $end))))
      (local.set $x (i32x4.add
        (i32x4.add (local.get $x) (local.get $y))
        (i32x4.add (local.get $z) (local.get $w))))
      (local.set $x (i32x4.add (local.get $x)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
      (local.set $score (f32.mul (local.get $factor) (f32.convert_i32_s
        (i32.add (i32x4.extract_lane 0 (local.get $x)) (i32x4.extract_lane 1 (local.get $x))))))
      (if (f32.ne (local.get $weight) (f32.const 0)) (then
        (local.set $score (f32.add (local.get $score) (f32.mul
          (f32.mul (local.get $weight) (f32.load offset=8 (local.get $slot)))
          (f32.convert_i32_u (i32.load offset=4 (local.get $slot))))))))
      (f32.store (local.get $to) (f32.add (local.get $base) (f32.mul
        (f32.load (i32.add (local.get $slot) (local.get $field))) (local.get $score))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (br $next))))

  ;; Dot products of an int16 probe and the slots whose addresses are listed, as int32.
  (func (export "dots")
    (param $list i32) (param $count i32) (param $probe i32) (param $length i32) (param $to i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (i32.store (local.get $to) (call $wide (local.get $probe)
        (i32.add (i32.load (local.get $list)) (i32.const 32)) (local.get $length)))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (br $next))))

  ;; Prefetch: reads a word of each cache line of the listed slots, so that misses overlap.
  (func $touch
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
  ;; threshold, or whose score is not a number. Returns their number.
  (func (export "scan")
    (param $slot i32) (param $count i32) (param $stride i32) (param $probe i32)
    (param $field i32) (param $factor f32) (param $weight f32) (param $base f32)
    (param $threshold f32) (param $to i32) (result i32)
    (local $end i32) (local $score f32) (local $start i32) (local $length i32)
    (local.set $length (i32.sub (local.get $stride) (i32.const 32)))
    (local.set $start (local.get $to))
    (local.set $end (i32.add (local.get $slot) (i32.mul (local.get $count) (local.get $stride))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $slot) (local.get $end)))
      (if (i32.load (local.get $slot)) (then
        ;; As in $many.
        (local.set $score (f32.mul (local.get $factor) (f32.convert_i32_s (call $wide
          (local.get $probe) (i32.add (local.get $slot) (i32.const 32)) (local.get $length)))))
        (if (f32.ne (local.get $weight) (f32.const 0)) (then
          (local.set $score (f32.add (local.get $score) (f32.mul
            (f32.mul (local.get $weight) (f32.load offset=8 (local.get $slot)))
            (f32.convert_i32_u (i32.load offset=4 (local.get $slot))))))))
        (local.set $score (f32.add (local.get $base) (f32.mul
          (f32.load (i32.add (local.get $slot) (local.get $field))) (local.get $score))))
        (if (i32.eqz (f32.lt (local.get $score) (local.get $threshold))) (then
          (i32.store (local.get $to) (local.get $slot))
          (f32.store offset=4 (local.get $to) (local.get $score))
          (local.set $to (i32.add (local.get $to) (i32.const 8)))))))
      (local.set $slot (i32.add (local.get $slot) (local.get $stride)))
      (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $start)) (i32.const 3)))

  ;; As scan over slots of bits, which are scored as in $manyBits.
  (func (export "scanBits")
    (param $slot i32) (param $count i32) (param $stride i32) (param $probe i32)
    (param $field i32) (param $factor f32) (param $weight f32) (param $base f32)
    (param $threshold f32) (param $to i32) (result i32)
    (local $end i32) (local $score f32) (local $start i32) (local $bytes i32)
    (local $p i32) (local $v i32) (local $last i32) (local $x i64) (local $y i64)
    (local.set $bytes (i32.sub (local.get $stride) (i32.const 32)))
    (local.set $start (local.get $to))
    (local.set $end (i32.add (local.get $slot) (i32.mul (local.get $count) (local.get $stride))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $slot) (local.get $end)))
      (if (i32.load (local.get $slot)) (then
        (local.set $p (local.get $probe))
        (local.set $v (local.get $slot))
        (local.set $last (i32.add (local.get $slot) (local.get $bytes)))
        (local.set $x (i64.const 0))
        (local.set $y (i64.const 0))
        (loop $part
          (local.set $x (i64.add (local.get $x) (i64.popcnt (i64.and
            (i64.load (local.get $p)) (i64.load offset=32 (local.get $v))))))
          (local.set $y (i64.add (local.get $y) (i64.popcnt (i64.and
            (i64.load offset=8 (local.get $p)) (i64.load offset=40 (local.get $v))))))
          (local.set $p (i32.add (local.get $p) (i32.const 16)))
          (local.set $v (i32.add (local.get $v) (i32.const 16)))
          (br_if $part (i32.lt_u (local.get $v) (local.get $last))))
        (local.set $score (f32.add (local.get $base) (f32.mul
          (f32.load (i32.add (local.get $slot) (local.get $field)))
          (f32.add
            (f32.mul (local.get $factor) (f32.convert_i64_u
              (i64.add (local.get $x) (local.get $y))))
            (f32.mul (local.get $weight) (f32.convert_i32_u
              (i32.load offset=4 (local.get $slot))))))))
        (if (i32.eqz (f32.lt (local.get $score) (local.get $threshold))) (then
          (i32.store (local.get $to) (local.get $slot))
          (f32.store offset=4 (local.get $to) (local.get $score))
          (local.set $to (i32.add (local.get $to) (i32.const 8)))))))
      (local.set $slot (i32.add (local.get $slot) (local.get $stride)))
      (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $start)) (i32.const 3)))

  ;; Upper bound of the exact score of a slot of larger precision:
  ;;
  ;;   field * (product * dot + residual * own residual + reach * sqrt(squares)) + offset * exact
  ;;
  ;; The last term is computed in float64 and clamped, so that infinities cannot cancel.
  (func $bound
    (param $slot i32) (param $length i32) (param $probe i32) (param $field i32)
    (param $product f32) (param $residual f32) (param $reach f32) (param $offset f64)
    (result f32)
    (local $tail i32)
    (local.set $tail (i32.add (i32.add (local.get $slot) (i32.const 32)) (local.get $length)))
    (f32.add
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

  ;; As scan over slots of larger precision, by their bounds.
  (func (export "bounded")
    (param $slot i32) (param $count i32) (param $stride i32) (param $length i32)
    (param $probe i32) (param $field i32) (param $product f32) (param $residual f32)
    (param $reach f32) (param $offset f64) (param $threshold f32) (param $to i32) (result i32)
    (local $end i32) (local $bound f32) (local $start i32)
    (local.set $start (local.get $to))
    (local.set $end (i32.add (local.get $slot) (i32.mul (local.get $count) (local.get $stride))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $slot) (local.get $end)))
      (if (i32.load (local.get $slot)) (then
        (local.set $bound (call $bound
          (local.get $slot) (local.get $length) (local.get $probe) (local.get $field)
          (local.get $product) (local.get $residual) (local.get $reach) (local.get $offset)))
        (if (i32.eqz (f32.lt (local.get $bound) (local.get $threshold))) (then
          (i32.store (local.get $to) (local.get $slot))
          (f32.store offset=4 (local.get $to) (local.get $bound))
          (local.set $to (i32.add (local.get $to) (i32.const 8)))))))
      (local.set $slot (i32.add (local.get $slot) (local.get $stride)))
      (br $next)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $start)) (i32.const 3)))

  ;; Bounds of the listed slots of larger precision, as float32.
  (func (export "boundMany")
    (param $list i32) (param $count i32) (param $length i32)
    (param $probe i32) (param $field i32) (param $product f32) (param $residual f32)
    (param $reach f32) (param $offset f64) (param $to i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (f32.store (local.get $to) (call $bound
        (i32.load (local.get $list)) (local.get $length) (local.get $probe) (local.get $field)
        (local.get $product) (local.get $residual) (local.get $reach) (local.get $offset)))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (br $next))))

  ;; Walk through an index, one node at a time. Its state, set by the caller:
  ;;
  ;;   0 results | 4 entries | 8 maximum of results | 12 of entries | 16 probe | 20 length, as above
  ;;   24 field | 28 factor | 32 weight | 36 base | 40 list | 44 bytes to prefetch per slot, or 0
  ;;   48 first entry | 52 entry to continue at | 56 scores of the list
  ;;
  ;; Entries are {float32 score, address}, best first: the results, and between them slots that only
  ;; lead on. Bit 0 of an address marks the latter, bit 1 those whose neighbors were listed. Once
  ;; there are enough results, the last entry is the worst one.

  ;; Adds an entry in its place; drops the worst ones that are too many. Entries are moved as they
  ;; are stored, each by one instruction: the processor would wait for stores of parts.
  (func $insert (param $state i32) (param $score f32) (param $entry i32)
    (local $at i32) (local $first i32) (local $count i32) (local $results i32)
    (local.set $first (i32.load offset=48 (local.get $state)))
    (local.set $count (i32.load offset=4 (local.get $state)))
    (local.set $results (i32.load (local.get $state)))
    (local.set $at (i32.add (local.get $first) (i32.shl (local.get $count) (i32.const 3))))
    (if (i32.eq (local.get $count) (i32.load offset=12 (local.get $state)))
      (then
        (local.set $at (i32.sub (local.get $at) (i32.const 8)))
        (local.set $results (i32.sub (local.get $results) (i32.eqz
          (i32.and (i32.load offset=4 (local.get $at)) (i32.const 1))))))
      (else (i32.store offset=4 (local.get $state) (i32.add (local.get $count) (i32.const 1)))))
    (block $found (loop $move
      (br_if $found (i32.le_u (local.get $at) (local.get $first)))
      (local.set $at (i32.sub (local.get $at) (i32.const 8)))
      (if (f32.ge (f32.load (local.get $at)) (local.get $score)) (then
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $found)))
      (i64.store offset=8 (local.get $at) (i64.load (local.get $at)))
      (br $move)))
    (i64.store (local.get $at) (i64.or
      (i64.extend_i32_u (i32.reinterpret_f32 (local.get $score)))
      (i64.shl (i64.extend_i32_u (local.get $entry)) (i64.const 32))))
    (if (i32.lt_u (local.get $at) (i32.load offset=52 (local.get $state))) (then
      (i32.store offset=52 (local.get $state) (local.get $at))))
    (local.set $results (i32.add (local.get $results)
      (i32.eqz (i32.and (local.get $entry) (i32.const 1)))))
    (i32.store (local.get $state) (local.get $results))
    (if (i32.ge_u (local.get $results) (i32.load offset=8 (local.get $state))) (then
      (call $truncate (local.get $state)))))

  ;; Drops the result that is too many, if there is one, and what is behind the last one.
  (func $truncate (param $state i32)
    (local $at i32) (local $first i32) (local $extra i32)
    (local.set $first (i32.load offset=48 (local.get $state)))
    (local.set $at (i32.add (local.get $first)
      (i32.shl (i32.load offset=4 (local.get $state)) (i32.const 3))))
    (local.set $extra (i32.sub
      (i32.load (local.get $state)) (i32.load offset=8 (local.get $state))))
    (i32.store (local.get $state) (i32.load offset=8 (local.get $state)))
    (block $done (loop $next
      (br_if $done (i32.le_u (local.get $at) (local.get $first)))
      (if (i32.eqz (i32.and (i32.load (i32.sub (local.get $at) (i32.const 4))) (i32.const 1)))
        (then
          (br_if $done (i32.eqz (local.get $extra)))
          (local.set $extra (i32.const 0))))
      (local.set $at (i32.sub (local.get $at) (i32.const 8)))
      (br $next)))
    (i32.store offset=4 (local.get $state)
      (i32.shr_u (i32.sub (local.get $at) (local.get $first)) (i32.const 3))))

  ;; Scores $count listed slots, and returns the best entry whose neighbors were not listed yet, or
  ;; 0 if there is none. A slot with bit 0 set only leads on; so does one without a vertex, unless
  ;; its bit 1 is set. All scores are computed before one is compared: without unpredictable
  ;; branches between them, their cache misses overlap.
  (func (export "walk") (param $state i32) (param $count i32) (result i32)
    (local $at i32) (local $end i32) (local $slot i32) (local $marks i32) (local $score f32)
    (local $bytes i32) (local $to i32)
    (local.set $at (i32.load offset=40 (local.get $state)))
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $bytes (i32.load offset=44 (local.get $state)))
    (local.set $to (i32.load offset=56 (local.get $state)))
    (if (local.get $bytes) (then
      (drop (call $touch (local.get $at) (local.get $count) (local.get $bytes)))))
    (call $many (local.get $at) (local.get $count)
      (i32.load offset=16 (local.get $state)) (i32.load offset=20 (local.get $state))
      (i32.load offset=24 (local.get $state)) (f32.load offset=28 (local.get $state))
      (f32.load offset=32 (local.get $state)) (f32.load offset=36 (local.get $state))
      (local.get $to))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $marks (i32.load (local.get $at)))
      (local.set $slot (i32.and (local.get $marks) (i32.const -4)))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (local.set $score (f32.load (local.get $to)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      ;; A score that is not a number is the lowest.
      (if (f32.ne (local.get $score) (local.get $score)) (then
        (local.set $score (f32.const -inf))))
      (if (i32.eq (i32.load (local.get $state)) (i32.load offset=8 (local.get $state))) (then
        (br_if $next (f32.le (local.get $score) (call $worst (local.get $state))))))
      (call $insert (local.get $state) (local.get $score) (i32.or (local.get $slot)
        (i32.or
          (i32.and (local.get $marks) (i32.const 1))
          (i32.and
            (i32.eqz (i32.and (local.get $marks) (i32.const 2)))
            (i32.eqz (i32.load (local.get $slot)))))))
      (br $next)))
    (call $continue (local.get $state)))

  ;; Score of the last entry.
  (func $worst (param $state i32) (result f32)
    (f32.load (i32.add
      (i32.load offset=48 (local.get $state))
      (i32.shl (i32.sub (i32.load offset=4 (local.get $state)) (i32.const 1)) (i32.const 3)))))

  ;; Returns the best entry whose neighbors were not listed yet, and marks it; 0 if there is none.
  (func $continue (param $state i32) (result i32)
    (local $at i32) (local $end i32) (local $entry i32)
    (local.set $at (i32.load offset=52 (local.get $state)))
    (local.set $end (i32.add
      (i32.load offset=48 (local.get $state))
      (i32.shl (i32.load offset=4 (local.get $state)) (i32.const 3))))
    (block $none (loop $next
      (br_if $none (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $entry (i32.load offset=4 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $next (i32.and (local.get $entry) (i32.const 2)))
      (i32.store (i32.sub (local.get $at) (i32.const 4))
        (i32.or (local.get $entry) (i32.const 2)))
      (i32.store offset=52 (local.get $state) (local.get $at))
      (return (i32.and (local.get $entry) (i32.const -4)))))
    (i32.store offset=52 (local.get $state) (local.get $at))
    (i32.const 0))

  ;; Keeps the results alone, without marks.
  (func (export "finish") (param $state i32)
    (local $at i32) (local $to i32) (local $end i32) (local $entry i32)
    (local.set $at (i32.load offset=48 (local.get $state)))
    (local.set $to (local.get $at))
    (local.set $end (i32.add (local.get $at)
      (i32.shl (i32.load offset=4 (local.get $state)) (i32.const 3))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $entry (i32.load offset=4 (local.get $at)))
      (if (i32.eqz (i32.and (local.get $entry) (i32.const 1))) (then
        (f32.store (local.get $to) (f32.load (local.get $at)))
        (i32.store offset=4 (local.get $to) (i32.and (local.get $entry) (i32.const -4)))
        (local.set $to (i32.add (local.get $to) (i32.const 8)))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br $next)))
    (i32.store offset=4 (local.get $state) (i32.load (local.get $state))))

  ;; Dot product of the vectors of two slots.
  (func $product (param $a i32) (param $b i32) (param $length i32) (result i32)
    (local.set $a (i32.add (local.get $a) (i32.const 32)))
    (local.set $b (i32.add (local.get $b) (i32.const 32)))
    (if (result i32) (i32.lt_s (local.get $length) (i32.const 0))
      (then (call $common
        (local.get $a) (local.get $b) (i32.sub (i32.const 0) (local.get $length))))
      (else (call $dot (local.get $a) (local.get $b) (local.get $length)))))

  ;; Score of two slots, as in $many without its base.
  (func $pair
    (param $a i32) (param $b i32) (param $length i32)
    (param $field i32) (param $factor f32) (param $weight f32) (result f32)
    (local $score f32)
    (local.set $score (f32.mul
      (f32.mul (local.get $factor) (f32.mul
        (f32.load (i32.add (local.get $a) (local.get $field)))
        (f32.load (i32.add (local.get $b) (local.get $field)))))
      (f32.convert_i32_s (call $product (local.get $a) (local.get $b) (local.get $length)))))
    (if (f32.ne (local.get $weight) (f32.const 0)) (then
      (local.set $score (f32.add (local.get $score) (f32.mul (local.get $weight) (f32.add
        (call $norm (local.get $a)) (call $norm (local.get $b))))))))
    (local.get $score))

  ;; scale * scale * squares of a slot.
  (func $norm (param $slot i32) (result f32)
    (local $scale f32)
    (local.set $scale (f32.load offset=8 (local.get $slot)))
    (f32.mul (local.get $scale) (f32.mul (local.get $scale)
      (f32.convert_i32_u (i32.load offset=4 (local.get $slot))))))

  ;; Makes $count listed slots the results, scored by their similarity to a slot; best first.
  (func (export "rank") (param $state i32) (param $slot i32) (param $count i32)
    (param $factor f32)
    (local $at i32) (local $end i32) (local $score f32)
    (local.set $at (i32.load offset=40 (local.get $state)))
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $score (call $pair
        (local.get $slot) (i32.load (local.get $at)) (i32.load offset=20 (local.get $state))
        (i32.load offset=24 (local.get $state)) (local.get $factor)
        (f32.load offset=32 (local.get $state))))
      (if (f32.ne (local.get $score) (local.get $score)) (then
        (local.set $score (f32.const -inf))))
      (call $insert (local.get $state) (local.get $score) (i32.load (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br $next))))

  ;; Keeps up to $room of the sorted results: each that is more similar to what they were scored by
  ;; than to any one kept before, or as similar, unless both score alike. Else an equal vector, kept
  ;; first, would refuse all others, and equal vectors would be linked with each other alone. Returns
  ;; their number.
  (func (export "diversify") (param $state i32) (param $room i32) (param $factor f32) (result i32)
    (local $at i32) (local $end i32) (local $first i32) (local $last i32) (local $other i32)
    (local $score f32)
    (local.set $first (i32.load offset=48 (local.get $state)))
    (local.set $at (local.get $first))
    (local.set $last (local.get $first))
    (local.set $end (i32.add (local.get $at) (i32.shl (i32.load (local.get $state)) (i32.const 3))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (br_if $done (i32.ge_u
        (local.get $last)
        (i32.add (local.get $first) (i32.shl (local.get $room) (i32.const 3)))))
      (block $refused
        (local.set $other (local.get $first))
        (block $kept (loop $compare
          (br_if $kept (i32.ge_u (local.get $other) (local.get $last)))
          (local.set $score (call $pair
            (i32.load offset=4 (local.get $other)) (i32.load offset=4 (local.get $at))
            (i32.load offset=20 (local.get $state)) (i32.load offset=24 (local.get $state))
            (local.get $factor) (f32.load offset=32 (local.get $state))))
          (br_if $refused (i32.eqz (i32.or
            (f32.lt (local.get $score) (f32.load (local.get $at)))
            (i32.and
              (f32.eq (local.get $score) (f32.load (local.get $at)))
              (f32.ne (f32.load (local.get $other)) (f32.load (local.get $at)))))))
          (local.set $other (i32.add (local.get $other) (i32.const 8)))
          (br $compare)))
        (i64.store (local.get $last) (i64.load (local.get $at)))
        (local.set $last (i32.add (local.get $last) (i32.const 8))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br $next)))
    (i32.shr_u (i32.sub (local.get $last) (local.get $first)) (i32.const 3)))

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

  ;; Dot products of a float32 vector with the listed rows, or squared distances if $distance is
  ;; not 0, as float64. If $widened is not 0, rows are of float16s: each is widened there, by its
  ;; unit in the list of $units.
  (func (export "exactSums")
    (param $list i32) (param $count i32) (param $probe i32) (param $length i32)
    (param $distance i32) (param $units i32) (param $widened i32) (param $to i32)
    (local $end i32) (local $row i32)
    (drop (call $touch (local.get $list) (local.get $count) (i32.shl (local.get $length)
      (i32.sub (i32.const 2) (i32.ne (local.get $widened) (i32.const 0))))))
    (local.set $end (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (local.set $row (i32.load (local.get $list)))
      (if (local.get $widened) (then
        (call $widenHalves (local.get $row) (local.get $length)
          (f32.load (local.get $units)) (local.get $widened))
        (local.set $row (local.get $widened))
        (local.set $units (i32.add (local.get $units) (i32.const 4)))))
      (f64.store (local.get $to) (if (result f64) (local.get $distance)
        (then (call $distanceFloats (local.get $probe) (local.get $row) (local.get $length)))
        (else (call $dotFloats (local.get $probe) (local.get $row) (local.get $length)))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $to (i32.add (local.get $to) (i32.const 8)))
      (br $next))))

  ;; Dot product of float32s, a multiple of 8, in float64: no product is rounded.
  (func $dotFloats (export "dotFloats")
    (param $a i32) (param $b i32) (param $length i32) (result f64)
    (local $end i32) (local $p v128) (local $q v128)
    (local $x v128) (local $y v128) (local $z v128) (local $w v128)
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $eight
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (local.set $p (v128.load (local.get $a)))
      (local.set $q (v128.load (local.get $b)))
      (local.set $x (f64x2.add (local.get $x) (f64x2.mul
        (f64x2.promote_low_f32x4 (local.get $p)) (f64x2.promote_low_f32x4 (local.get $q)))))
      (local.set $y (f64x2.add (local.get $y) (f64x2.mul
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $p) (local.get $p)))
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $q) (local.get $q))))))
      (local.set $p (v128.load offset=16 (local.get $a)))
      (local.set $q (v128.load offset=16 (local.get $b)))
      (local.set $z (f64x2.add (local.get $z) (f64x2.mul
        (f64x2.promote_low_f32x4 (local.get $p)) (f64x2.promote_low_f32x4 (local.get $q)))))
      (local.set $w (f64x2.add (local.get $w) (f64x2.mul
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $p) (local.get $p)))
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $q) (local.get $q))))))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br $eight)))
    (call $sumTwo (f64x2.add
      (f64x2.add (local.get $x) (local.get $y))
      (f64x2.add (local.get $z) (local.get $w)))))

  ;; Squared distance of float32s, a multiple of 8, in float64.
  (func $distanceFloats (export "distanceFloats")
    (param $a i32) (param $b i32) (param $length i32) (result f64)
    (local $end i32) (local $p v128) (local $q v128) (local $d v128)
    (local $x v128) (local $y v128) (local $z v128) (local $w v128)
    (local.set $end (i32.add (local.get $a) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $eight
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (local.set $p (v128.load (local.get $a)))
      (local.set $q (v128.load (local.get $b)))
      (local.set $d (f64x2.sub
        (f64x2.promote_low_f32x4 (local.get $p)) (f64x2.promote_low_f32x4 (local.get $q))))
      (local.set $x (f64x2.add (local.get $x) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $d (f64x2.sub
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $p) (local.get $p)))
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $q) (local.get $q)))))
      (local.set $y (f64x2.add (local.get $y) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $p (v128.load offset=16 (local.get $a)))
      (local.set $q (v128.load offset=16 (local.get $b)))
      (local.set $d (f64x2.sub
        (f64x2.promote_low_f32x4 (local.get $p)) (f64x2.promote_low_f32x4 (local.get $q))))
      (local.set $z (f64x2.add (local.get $z) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $d (f64x2.sub
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $p) (local.get $p)))
        (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
          (local.get $q) (local.get $q)))))
      (local.set $w (f64x2.add (local.get $w) (f64x2.mul (local.get $d) (local.get $d))))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br $eight)))
    (call $sumTwo (f64x2.add
      (f64x2.add (local.get $x) (local.get $y))
      (f64x2.add (local.get $z) (local.get $w)))))

  ;; Float16s times a power of two, as float32s.
  (func $widenHalves (export "widenHalves")
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

  ;; Quantizes float32s, a multiple of 8, to int16, which may replace them. Writes the sum of
  ;; squares of what that loses, and that of the numbers, as float64.
  (func (export "quantizeWords")
    (param $from i32) (param $length i32) (param $scale f64) (param $to i32) (param $sums i32)
    (local $end i32) (local $scales v128) (local $words v128) (local $p v128) (local $q v128)
    (local $x v128) (local $y v128) (local $z v128) (local $w v128)
    (local $lost v128) (local $squares v128)
    (local.set $scales (f64x2.splat (local.get $scale)))
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (local.set $words (call $roundedEight (local.get $from) (local.get $scales)))
      (local.set $p (v128.load (local.get $from)))
      (local.set $q (v128.load offset=16 (local.get $from)))
      (local.set $x (f64x2.promote_low_f32x4 (local.get $p)))
      (local.set $y (f64x2.promote_low_f32x4 (call $upper (local.get $p))))
      (local.set $z (f64x2.promote_low_f32x4 (local.get $q)))
      (local.set $w (f64x2.promote_low_f32x4 (call $upper (local.get $q))))
      (local.set $squares (f64x2.add (local.get $squares) (f64x2.add
        (f64x2.add
          (f64x2.mul (local.get $x) (local.get $x)) (f64x2.mul (local.get $y) (local.get $y)))
        (f64x2.add
          (f64x2.mul (local.get $z) (local.get $z)) (f64x2.mul (local.get $w) (local.get $w))))))
      (local.set $p (i32x4.extend_low_i16x8_s (local.get $words)))
      (local.set $q (i32x4.extend_high_i16x8_s (local.get $words)))
      (local.set $x (call $rest (local.get $x) (local.get $p) (local.get $scales)))
      (local.set $y (call $rest (local.get $y) (call $upper (local.get $p)) (local.get $scales)))
      (local.set $z (call $rest (local.get $z) (local.get $q) (local.get $scales)))
      (local.set $w (call $rest (local.get $w) (call $upper (local.get $q)) (local.get $scales)))
      (local.set $lost (f64x2.add (local.get $lost) (f64x2.add
        (f64x2.add (local.get $x) (local.get $y)) (f64x2.add (local.get $z) (local.get $w)))))
      (v128.store (local.get $to) (local.get $words))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br $next)))
    (f64.store (local.get $sums) (call $sumTwo (local.get $lost)))
    (f64.store offset=8 (local.get $sums) (call $sumTwo (local.get $squares))))

  ;; Squares of two numbers less the two lower multiples of the scale.
  (func $rest (param $pair v128) (param $multiples v128) (param $scale v128) (result v128)
    (local.set $pair (f64x2.sub (local.get $pair) (f64x2.mul
      (local.get $scale) (f64x2.convert_low_i32x4_s (local.get $multiples)))))
    (f64x2.mul (local.get $pair) (local.get $pair)))

  ;; float32s times a factor, minus a center.
  (func (export "center")
    (param $at i32) (param $length i32) (param $factor f32) (param $center i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (v128.store (local.get $at) (f32x4.sub
        (f32x4.mul (v128.load (local.get $at)) (f32x4.splat (local.get $factor)))
        (v128.load (local.get $center))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (local.set $center (i32.add (local.get $center) (i32.const 16)))
      (br $next))))

  ;; float32s times others.
  (func (export "multiply") (param $at i32) (param $length i32) (param $by i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (v128.store (local.get $at)
        (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $by))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (local.set $by (i32.add (local.get $by) (i32.const 16)))
      (br $next))))

  ;; Walsh-Hadamard transform of float32s, a power of two from 4 on. The first two of its steps
  ;; combine numbers within four.
  (func (export "hadamard") (param $at i32) (param $size i32)
    (local $end i32) (local $half i32) (local $start i32) (local $p i32) (local $middle i32)
    (local $v v128) (local $w v128)
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $size) (i32.const 2))))
    (local.set $p (local.get $at))
    (loop $four
      (local.set $v (v128.load (local.get $p)))
      (local.set $v (f32x4.add
        (i8x16.shuffle 0 1 2 3 0 1 2 3 8 9 10 11 8 9 10 11 (local.get $v) (local.get $v))
        (f32x4.mul (v128.const f32x4 1 -1 1 -1)
          (i8x16.shuffle 4 5 6 7 4 5 6 7 12 13 14 15 12 13 14 15
            (local.get $v) (local.get $v)))))
      (v128.store (local.get $p) (f32x4.add
        (i8x16.shuffle 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 (local.get $v) (local.get $v))
        (f32x4.mul (v128.const f32x4 1 1 -1 -1)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15
            (local.get $v) (local.get $v)))))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (br_if $four (i32.lt_u (local.get $p) (local.get $end))))
    (local.set $half (i32.const 16))
    (block $done (loop $step
      (br_if $done (i32.ge_u (local.get $half) (i32.shl (local.get $size) (i32.const 2))))
      (local.set $start (local.get $at))
      (loop $pair
        (local.set $p (local.get $start))
        (local.set $middle (i32.add (local.get $start) (local.get $half)))
        (loop $next
          (local.set $v (v128.load (local.get $p)))
          (local.set $w (v128.load (i32.add (local.get $p) (local.get $half))))
          (v128.store (local.get $p) (f32x4.add (local.get $v) (local.get $w)))
          (v128.store (i32.add (local.get $p) (local.get $half))
            (f32x4.sub (local.get $v) (local.get $w)))
          (local.set $p (i32.add (local.get $p) (i32.const 16)))
          (br_if $next (i32.lt_u (local.get $p) (local.get $middle))))
        (local.set $start (i32.add (local.get $middle) (local.get $half)))
        (br_if $pair (i32.lt_u (local.get $start) (local.get $end))))
      (local.set $half (i32.shl (local.get $half) (i32.const 1)))
      (br $step))))

  ;; Bytes of float32s, a multiple of 16: 1 for those above 0, else 0.
  (func (export "positive") (param $at i32) (param $length i32) (param $to i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $length) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (v128.store (local.get $to) (v128.and (i8x16.splat (i32.const 1)) (i8x16.narrow_i16x8_s
        (i16x8.narrow_i32x4_s
          (f32x4.gt (v128.load (local.get $at)) (v128.const f32x4 0 0 0 0))
          (f32x4.gt (v128.load offset=16 (local.get $at)) (v128.const f32x4 0 0 0 0)))
        (i16x8.narrow_i32x4_s
          (f32x4.gt (v128.load offset=32 (local.get $at)) (v128.const f32x4 0 0 0 0))
          (f32x4.gt (v128.load offset=48 (local.get $at)) (v128.const f32x4 0 0 0 0))))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
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
