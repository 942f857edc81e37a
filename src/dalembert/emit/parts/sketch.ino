// One evaluation and its time. Replace the zeros by what your joints measure.
#include <model.h>

// [vectors]

void setup() {
  Serial.begin(115200);
  // [start]
}

void loop() {
  const unsigned long begin = micros();
  model_entry(/*[words]*/);
  const unsigned long time = micros() - begin;
  for (int k = 0; k < /*[size]*/; ++k) {
    Serial.print((double)/*[first]*/[k], 6);
    Serial.print(' ');
  }
  Serial.print(time);
  Serial.println(" us");
  delay(1000);
}
